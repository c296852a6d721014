"""Makes a user with a key in the MiniStack at an address, over its IAM API, and prints the key.

usage: bedrock_key.py URL

Requests that bear this key are checked as AWS checks them; a secret that is not its own is refused.
"""

import re
import sys
import urllib.parse
import urllib.request

USER = "scoutai"
MAY = '{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"bedrock:*","Resource":"*"}]}'
# The key `test` is the one with which MiniStack lets anybody in, whatever the signature.
AUTHORITY = (
    "AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/iam/aws4_request, SignedHeaders=host, Signature=0"
)


def act(url, action, **fields):
    """Sends one action and gives the XML of its answer."""
    body = urllib.parse.urlencode({"Action": action, "Version": "2010-05-08", "UserName": USER, **fields})
    request = urllib.request.Request(url, body.encode(), {"Authorization": AUTHORITY})
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    return direct.open(request, timeout=10).read().decode()


def field(xml, name):
    found = re.search(f"<{name}>([^<]+)</{name}>", xml)
    if not found:
        sys.exit(f"the answer of IAM names no {name}: {xml}")
    return found.group(1)


def main(url):
    act(url, "CreateUser")
    act(url, "PutUserPolicy", PolicyName="bedrock", PolicyDocument=MAY)
    key = act(url, "CreateAccessKey")
    print(field(key, "AccessKeyId"), field(key, "SecretAccessKey"))


main(sys.argv[1])
