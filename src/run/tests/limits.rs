//! What ends a run that does not end by itself.

use serde_json::{Value, json};

use super::super::{LimitReached, RunError};
use super::play::{Play, Stage, call, calls, reply, says, user};
use crate::backends::{CallFault, CutCall, ModelFacts, Money, Price, Prices, Rates, Stop, Usage};
use crate::chat::{CallId, ToolName};
use crate::plan::Item;
use crate::tools::Effects;

/// A model that makes the same call for ever.
fn endless(name: &str, arguments: Value) -> Vec<Play> {
    vec![calls(vec![call("1", name, arguments)])]
}

async fn limit_of(stage: &mut Stage) -> LimitReached {
    match stage.run(vec![user("What?")]).await {
        Err(RunError::Limit(limit)) => limit,
        Err(error) => panic!("{error}"),
        Ok(outcome) => panic!("{outcome:?}"),
    }
}

#[tokio::test]
async fn equal_calls_are_warned_of_and_stopped() {
    let mut stage = Stage::new(endless("peek", json!({"n": 1}))).echo("peek", Effects::ReadOnly);
    assert_eq!(
        limit_of(&mut stage).await,
        LimitReached::EqualCalls {
            name: ToolName("peek".to_owned()),
            times: 5,
        }
    );
    assert_eq!(stage.player.requests(), 5);
    assert_eq!(
        stage.notes.warned,
        ["the model has called `peek` 3 times with the same arguments"]
    );
}

#[tokio::test]
async fn equal_calls_are_seen_between_others() {
    let plays = (0..20)
        .map(|n| calls(vec![call("1", "peek", json!({"n": n % 2}))]))
        .collect();
    let mut stage = Stage::new(plays).echo("peek", Effects::ReadOnly);
    assert_eq!(
        limit_of(&mut stage).await,
        LimitReached::EqualCalls {
            name: ToolName("peek".to_owned()),
            times: 5,
        }
    );
    assert_eq!(stage.player.requests(), 9);
}

#[tokio::test]
async fn equal_calls_of_one_round_count_once() {
    let eight = (0..8).map(|n| call(&n.to_string(), "peek", json!({})));
    let mut stage =
        Stage::new(vec![calls(eight.collect()), says("Done.")]).echo("peek", Effects::ReadOnly);
    stage.run(vec![user("What?")]).await.unwrap();
    assert_eq!(stage.notes.warned, [""; 0]);
}

#[tokio::test]
async fn rounds_are_limited_and_a_higher_limit_goes_on() {
    let plays = |from: u32| {
        (from..from + 10)
            .map(|n| calls(vec![call("1", "peek", json!({"n": n}))]))
            .collect::<Vec<_>>()
    };
    let mut stage = Stage::new(plays(0)).echo("peek", Effects::ReadOnly);
    stage.limits.rounds = 4;
    assert_eq!(limit_of(&mut stage).await, LimitReached::Rounds(4));
    assert_eq!(stage.player.requests(), 4);
    // Four records with a call, and its output.
    assert_eq!(stage.transcript.appended.len(), 8);
}

#[tokio::test]
async fn tokens_are_limited() {
    let plays = (0..10)
        .map(|n| {
            let mut reply = reply(
                vec![Item::Call(call("1", "peek", json!({"n": n})))],
                Stop::Calls,
            );
            reply.usage = Usage {
                prompt: Some(30),
                completion: Some(10),
                ..Usage::default()
            };
            Play::Reply(reply)
        })
        .collect();
    let mut stage = Stage::new(plays).echo("peek", Effects::ReadOnly);
    stage.limits.tokens = Some(100);
    assert_eq!(
        limit_of(&mut stage).await,
        LimitReached::Tokens {
            used: 120,
            limit: 100,
        }
    );
    assert_eq!(stage.player.requests(), 3);
}

/// Ten rounds that cost a tenth of a dollar each at the prices of [`priced`].
fn costly_rounds() -> Vec<Play> {
    (0..10)
        .map(|n| {
            let mut reply = reply(
                vec![Item::Call(call("1", "peek", json!({"n": n})))],
                Stop::Calls,
            );
            reply.usage = Usage {
                prompt: Some(80_000),
                completion: Some(10_000),
                ..Usage::default()
            };
            Play::Reply(reply)
        })
        .collect()
}

fn priced() -> ModelFacts {
    let (input, output) = (Price(1_000_000), Price(2_000_000));
    ModelFacts {
        prices: Some(Prices {
            usual: Rates {
                input,
                output,
                cache_read: None,
                cache_write: None,
                cache_write_1h: None,
            },
            long: None,
        }),
        ..ModelFacts::UNKNOWN
    }
}

#[tokio::test]
async fn the_cost_is_limited() {
    let mut stage = Stage::new(costly_rounds()).echo("peek", Effects::ReadOnly);
    stage.facts = priced();
    stage.limits.cost = Some(Money(250_000_000));
    assert_eq!(
        limit_of(&mut stage).await,
        LimitReached::Cost {
            used: Money(300_000_000),
            limit: Money(250_000_000),
        }
    );
    assert_eq!(stage.player.requests(), 3);
}

#[tokio::test]
async fn a_limit_of_the_cost_that_cannot_be_held_asks_nothing() {
    let mut stage = Stage::new(costly_rounds()).echo("peek", Effects::ReadOnly);
    let limit = Money(1);
    stage.limits.cost = Some(limit);
    let model = "cook-1".to_owned();
    assert_eq!(
        limit_of(&mut stage).await,
        LimitReached::NoPrice { model, limit }
    );
    assert_eq!(stage.player.requests(), 0);
}

#[tokio::test]
async fn an_answer_whose_cost_is_not_known_ends_a_run_with_a_limit_of_it() {
    let plays = (0..3)
        .map(|n| calls(vec![call("1", "peek", json!({"n": n}))]))
        .collect();
    let mut stage = Stage::new(plays).echo("peek", Effects::ReadOnly);
    stage.facts = priced();
    let limit = Money(1);
    stage.limits.cost = Some(limit);
    assert_eq!(
        limit_of(&mut stage).await,
        LimitReached::CostUnknown { limit }
    );
    assert_eq!(stage.player.requests(), 1);
}

#[tokio::test]
async fn what_the_provider_says_of_the_cost_counts() {
    let mut whole = reply(vec![Item::Text("Done.".to_owned())], Stop::End);
    whole.usage = Usage {
        prompt: Some(1000),
        completion: Some(0),
        cost: Some(Money(7)),
        ..Usage::default()
    };
    let mut stage = Stage::new(vec![Play::Reply(whole)]);
    stage.facts = priced();
    stage.run(vec![user("What?")]).await.unwrap();
    assert_eq!(
        stage.record(),
        "meta: model=cook-1 endpoint=kitchen pt=1000 ct=0 tt=1000 pt_s=1000 ct_s=0 tt_s=1000 \
         pt_c=1000 tt_c=1000 cost=0.000000007 cost_s=0.000000007 cost_c=0.000000007\n\
         assistant: Done.\n\nuser: \n\n"
    );
}

#[tokio::test]
async fn a_tool_that_is_not_there_is_told_to_the_model() {
    let mut stage = Stage::new(vec![
        calls(vec![call("1", "list_sites", json!({}))]),
        says("None."),
    ])
    .echo("get_sites", Effects::ReadOnly);
    stage.run(vec![user("What?")]).await.unwrap();
    assert_eq!(
        stage.record(),
        "meta: model=cook-1 endpoint=kitchen\n\
         function_call: {\"name\":\"list_sites\",\"arguments\":{},\"id\":\"1\"}\n\n\
         function_call_output: {\"name\":\"list_sites\",\"content\":\"there is no tool \
         `list_sites`; did you mean `get_sites`?\",\"id\":\"1\",\"error\":true}\n\n\
         meta: model=cook-1 endpoint=kitchen\nassistant: None.\n\nuser: \n\n"
    );
}

#[tokio::test]
async fn tools_that_are_not_there_end_the_run_in_the_end() {
    let mut stage = Stage::new(endless("list_sites", json!({}))).echo("get_sites", Effects::Once);
    assert_eq!(limit_of(&mut stage).await, LimitReached::UnknownTools(3));
    assert_eq!(stage.player.requests(), 3);
}

#[tokio::test]
async fn calls_that_were_cut_are_not_run_but_told() {
    let cut = || {
        let mut reply = reply(vec![Item::Text("Saving.".to_owned())], Stop::Length);
        reply.cut_calls = vec![CutCall {
            id: CallId("1".to_owned()),
            name: ToolName("save".to_owned()),
            arguments: "{\"path\":\"a.txt\",\"text\":\"one two".to_owned(),
            fault: CallFault::Cut,
        }];
        Play::Reply(reply)
    };
    let mut stage = Stage::new(vec![cut(), says("Sorry.")]).echo("save", Effects::Once);
    stage.run(vec![user("What?")]).await.unwrap();
    assert_eq!(
        stage.record(),
        "meta: model=cook-1 endpoint=kitchen stop=length\n\
         assistant: Saving.\n\
         function_call: {\"name\":\"save\",\"arguments\":{\"_unread\":\
         \"{\\\"path\\\":\\\"a.txt\\\",\\\"text\\\":\\\"one two\"},\"id\":\"1\"}\n\
         function_call_output: {\"name\":\"save\",\"content\":\"the call was cut off before its \
         arguments were whole, and was not made\",\"id\":\"1\",\"error\":true}\n\n\
         meta: model=cook-1 endpoint=kitchen\nassistant: Sorry.\n\nuser: \n\n"
    );
    let mut stage = Stage::new(vec![cut()]).echo("save", Effects::Once);
    assert_eq!(limit_of(&mut stage).await, LimitReached::CutCalls(2));
    assert_eq!(stage.player.requests(), 2);
}
