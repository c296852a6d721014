//! Random requests, held to the types of the providers' own libraries.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::Peers;
use crate::backends::histories::sampled;

#[test]
#[ignore = "needs the peers: ./.ci/run starts them"]
fn the_official_types_take_what_is_sent() {
    let folder = tempfile::tempdir().unwrap();
    let requests = sampled(50);
    assert!(requests.len() >= 300, "only {}", requests.len());
    for (name, body) in &requests {
        let path = folder.path().join(format!("{name}.json"));
        fs::write(path, serde_json::to_vec_pretty(body).unwrap()).unwrap();
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/peers/sdkcheck.py");
    let checked = Command::new(Peers::here().python())
        .arg(script)
        .arg(folder.path())
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&checked.stdout);
    let failed = String::from_utf8_lossy(&checked.stderr);
    assert_eq!(
        told,
        format!("{} requests pass\n", requests.len()),
        "{failed}"
    );
}
