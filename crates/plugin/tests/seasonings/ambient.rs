//! What a function of a resource has besides its arguments, and arguments that are not known yet.

use std::sync::{Arc, Mutex};

use serde_json::{Value as Json, json};
use tenon_plugin::{
    Created, Data, Existing, Failure, Found, MaybeUnknown, Plugin, Resource, ResourceCall,
    attributes,
};
use tenon_rpc::Router;

use crate::host::Host;

attributes! {
    struct Props { name: String }
    struct Seen { revision: String }
    struct Either { first: MaybeUnknown<String>, second: String }
    struct Same { text: MaybeUnknown<String> }
}

/// Keeps the number of changes in its private data.
struct Counted;

fn revision() -> String {
    let private = ResourceCall::current().private();
    private.map_or("none".to_owned(), |private| {
        String::from_utf8(private).unwrap()
    })
}

impl Resource for Counted {
    type Props = Props;
    type State = Seen;

    async fn create(&self, props: Props) -> Result<Created<Seen>, Failure> {
        let call = ResourceCall::current();
        call.progress.say(format!("creating {}", props.name)).await;
        call.keep_private("1");
        let revision = revision();
        Ok(Created::new("id", Seen { revision }))
    }

    async fn read(
        &self,
        id: String,
        props: Option<Props>,
    ) -> Result<Option<Found<Props, Seen>>, Failure> {
        let props = props.unwrap_or(Props { name: id });
        let revision = revision();
        Ok(Some(Found::new(props, Seen { revision })))
    }

    async fn update(&self, _: Existing<Props, Seen>, _: Props) -> Result<Data<Seen>, Failure> {
        ResourceCall::current().keep_private(format!("{}+", revision()));
        let revision = revision();
        Ok(Data::from(Seen { revision }))
    }

    async fn delete(&self, _: Existing<Props, Seen>) -> Result<Data<()>, Failure> {
        Ok(Data::done())
    }
}

fn plugin() -> Plugin {
    Plugin::new("counted", "1.0.0")
        .resource("thing", "A thing", |_| Counted)
        .function("either", "Either", |given: Either| async move {
            Ok(match given.first {
                MaybeUnknown::Known(first) => first,
                MaybeUnknown::Unknown => given.second,
            })
        })
        .function(
            "same",
            "The same",
            |given: Same| async move { Ok(given.text) },
        )
}

#[tokio::test]
async fn private_data_goes_from_call_to_call_and_progress_is_sent() {
    let said = Arc::new(Mutex::new(Vec::new()));
    let heard = said.clone();
    let router = Router::new(()).event_fallback(move |_, event| {
        let params = event.params.unwrap();
        let params = params.to_format(tenon_rpc::Format::Json).unwrap();
        heard
            .lock()
            .unwrap()
            .push((event.method.to_string(), params.decode::<Json>().unwrap()));
    });
    let host = Host::with(plugin(), router).await;
    let unknown = json!({"$unknown": true});
    let config = json!({"name": "a", "revision": null, "id": null});
    let planned = json!({"name": "a", "revision": unknown, "id": unknown});
    let params = json!([{"type": "thing", "prior": null, "planned": planned, "config": config}]);
    let created = host.raw("resources/applyChange", params).await.unwrap();
    assert_eq!(created["state"]["revision"], "1");
    let private = created["private"].clone();
    let progress = ("progress".to_owned(), json!([{"message": "creating a"}]));
    assert_eq!(*said.lock().unwrap(), [progress]);

    let read = json!([{"type": "thing", "state": created["state"], "private": private}]);
    let read = host.raw("resources/read", read).await.unwrap();
    // It is kept as it was.
    assert_eq!(
        (&read["state"]["revision"], &read["private"]),
        (&json!("1"), &Json::Null)
    );

    let planned = json!({"name": "b", "revision": unknown, "id": "id"});
    let params = json!([{"type": "thing", "prior": created["state"], "planned": planned,
        "config": config, "private": private}]);
    let updated = host.raw("resources/applyChange", params).await.unwrap();
    assert_eq!(updated["state"]["revision"], "1+");
    assert_ne!(updated["private"], private);

    // An imported resource has none, and is not imported any more once it was read.
    let imported = host
        .raw("resources/import", json!([{"type": "thing", "id": "x"}]))
        .await
        .unwrap();
    let state = json!({"name": null, "revision": null, "id": "x"});
    let read = json!([{"type": "thing", "state": state, "private": imported["private"]}]);
    let read = host.raw("resources/read", read).await.unwrap();
    assert_eq!(read["state"]["revision"], "none");
    assert_ne!(read["private"], imported["private"]);
    host.end().await;
}

#[tokio::test]
async fn a_function_may_take_what_is_not_known_yet() {
    let host = Host::of(plugin()).await;
    let parameters = &host.offer.functions["either"].parameters;
    assert!(parameters[0].allows_unknown && !parameters[1].allows_unknown);
    let call = async |name: &str, arguments: Json| {
        let params = json!([{"name": name, "arguments": arguments}]);
        host.raw("functions/call", params).await.unwrap()["result"].clone()
    };
    let unknown = json!({"$unknown": true});
    assert_eq!(
        call("either", json!({"first": "a", "second": "b"})).await,
        "a"
    );
    assert_eq!(
        call("either", json!({"first": unknown, "second": "b"})).await,
        "b"
    );
    assert_eq!(call("same", json!({"text": "a"})).await, "a");
    assert_eq!(call("same", json!({"text": unknown})).await, unknown);
    host.end().await;
}
