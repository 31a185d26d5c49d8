//! How many clients there may be, and which of them may do what.

use tenon_ipc::{ClientState, FromClient, Settings, wrappers};
use tenon_rpc::{CallError, ErrorCode, Router, RpcError, methods};

use crate::exact::assert_fits;
use crate::place::{Place, eventually, json};

methods! {
    /// Says who it is.
    Login = "login" (String) -> ();
    /// Who that was.
    Name = "name" (()) -> String;
}

const CALL: &str = r#"{"jsonrpc":"2.0","id":1,"method":"one"}"#;
const ANSWER: &str = r#"{"jsonrpc":"2.0","id":1,"result":1}"#;

fn router() -> Router<()> {
    Router::new(()).on_raw("one", |_, _| async { Ok(json("1")) })
}

#[tokio::test]
async fn the_number_of_clients_is_limited_and_one_that_leaves_makes_room() {
    let place = Place::new();
    let settings = Settings {
        connections: 2,
        ..Settings::default()
    };
    let server = place.serve_with(router(), settings);
    let clients = server.clients();
    let (mut one, mut two) = (place.raw().await, place.raw().await);
    assert_eq!(one.ask(CALL).await, ANSWER);
    assert_eq!(two.ask(CALL).await, ANSWER);
    for _ in 0..3 {
        let mut refused = place.raw().await;
        let told = refused.rest().await;
        assert_eq!(told.len(), 1, "and that is the end");
        let expected = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"this server has too many clients already"}}"#;
        assert_fits(&told[0], expected);
    }
    assert_eq!(clients.count(), 2);
    assert_eq!(two.ask(CALL).await, ANSWER, "the others do not notice");
    drop(one);
    eventually("one has left", || clients.count() == 1).await;
    let mut three = place.raw().await;
    assert_eq!(three.ask(CALL).await, ANSWER);
    assert_eq!(clients.all()[1].number(), 3, "the refused have no numbers");
}

#[tokio::test]
async fn a_refused_client_is_over() {
    let place = Place::new();
    let settings = Settings {
        connections: 1,
        ..Settings::default()
    };
    let _server = place.serve_with(router(), settings);
    let first = place.client().await;
    first.call_raw("one", None).await.unwrap();
    let second = place.client().await;
    let state = second.changed(&ClientState::Connected).await;
    assert!(matches!(state, ClientState::Closed(_)), "{state:?}");
    let CallError::Answered(error) = second.call_raw("one", None).await.unwrap_err() else {
        panic!("it was told why");
    };
    assert_eq!(error.code, ErrorCode::Number(tenon_ipc::REFUSED));
}

/// Who has logged in.
struct User(String);

fn guarded() -> Router<()> {
    Router::new(())
        .on(Login, |context, name| async move {
            match name.is_empty() {
                true => Err(RpcError::invalid_params("a name is needed")),
                false => {
                    context.session().keep(User(name));
                    Ok(())
                }
            }
        })
        .on(Name, |context, ()| async move {
            let user = context.session().kept::<User>();
            user.map(|user| user.0.clone())
                .ok_or_else(|| RpcError::internal("the guard let a stranger through"))
        })
        .wrap(wrappers::guard(|session, call| {
            match &*call.method == "login" || session.kept::<User>().is_some() {
                true => Ok(()),
                false => Err(RpcError::new(ErrorCode::Number(-32010), "log in first")),
            }
        }))
}

fn code(error: CallError) -> i64 {
    match error {
        CallError::Answered(error) => error.code.number(),
        other => panic!("{other}"),
    }
}

#[tokio::test]
async fn calls_before_the_login_are_refused() {
    let place = Place::new();
    let _server = place.serve(guarded());
    let (ada, eve) = (place.client().await, place.client().await);
    assert_eq!(code(ada.call(Name, ()).await.unwrap_err()), -32010);
    assert_eq!(code(ada.call_raw("gone", None).await.unwrap_err()), -32010);
    let nobody = ada.call(Login, String::new()).await.unwrap_err();
    assert_eq!(code(nobody), -32602);
    assert_eq!(code(ada.call(Name, ()).await.unwrap_err()), -32010);
    ada.call(Login, "Ada".into()).await.unwrap();
    assert_eq!(ada.call(Name, ()).await.unwrap(), "Ada");
    assert_eq!(code(eve.call(Name, ()).await.unwrap_err()), -32010);
    ada.call(Login, "Countess".into()).await.unwrap();
    assert_eq!(ada.call(Name, ()).await.unwrap(), "Countess");
    ada.close().await;
    let again = place.client().await;
    let stranger = again.call(Name, ()).await.unwrap_err();
    assert_eq!(code(stranger), -32010, "who left has to log in again");
}

/// A batch is no way around the guard.
#[tokio::test]
async fn in_a_batch_as_well() {
    let place = Place::new();
    let _server = place.serve(guarded());
    let mut raw = place.raw().await;
    let batch = r#"[{"jsonrpc":"2.0","id":1,"method":"name"},{"jsonrpc":"2.0","id":2,"method":"login","params":"Ada"},{"jsonrpc":"2.0","id":3,"method":"name"}]"#;
    let expected = r#"[{"jsonrpc":"2.0","id":1,"error":{"code":-32010,"message":"log in first"}},{"jsonrpc":"2.0","id":2,"result":null},{"jsonrpc":"2.0","id":3,"result":"Ada"}]"#;
    assert_fits(&raw.ask(batch).await, expected);
}
