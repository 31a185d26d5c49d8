//! Properties that must hold for any bytes that are read as a type or a value.
//! `crates/values/tests/regressions.rs` tries those under `regressions/`.

use tenon_values::{Kind, Number, Type, Value, json, msgpack};

/// A type as JSON, up to the first byte of zero, and behind it a value in msgpack.
pub fn values_msgpack(data: &[u8]) {
    let (ty, bytes) = type_and_rest(data);
    let _ = msgpack::implied_type(bytes);
    let Ok(value) = msgpack::decode(bytes, &ty) else {
        return;
    };
    check_type(&value, &ty);
    let own = value.ty();
    let written = msgpack::encode(&value, &own).expect("it was read");
    if written.len() > MOST_WRITTEN {
        return;
    }
    let back = msgpack::decode(&written, &own).expect("what was written is read");
    if !has_changing_numbers(&value) {
        assert_eq!(back, value);
        assert_ne!(back.equals(&value), Value::FALSE);
    }
    let again = msgpack::encode(&back, &own).expect("it was read");
    assert_eq!(written, again);
    let with_type = msgpack::encode(&value, &Type::Dynamic).expect("it was read");
    let found = msgpack::decode(&with_type, &Type::Dynamic).expect("what was written is read");
    assert_eq!(found, back);
}

/// A type as JSON, up to the first byte of zero, and behind it a value in JSON.
pub fn values_json(data: &[u8]) {
    let (ty, text) = type_and_rest(data);
    if let Ok(value) = json::implied(text) {
        assert_eq!(json::implied_type(text), Ok(value.ty()));
        let like = json::implied_like(text, &value).expect("it was read");
        assert_eq!(like, value);
    }
    let Ok(value) = json::decode(text, &ty) else {
        return;
    };
    check_type(&value, &ty);
    let _ = json::implied_like(text, &value);
    let own = value.ty();
    // A string may mean infinity, which JSON cannot express.
    let Ok(written) = json::encode(&value, &own) else {
        return;
    };
    if written.len() > MOST_WRITTEN {
        return;
    }
    let back = json::decode(written.as_bytes(), &own).expect("what was written is read");
    assert_eq!(back, value);
    assert_eq!(json::encode(&back, &own), Ok(written));
}

/// A type as JSON, up to the first byte of zero, and behind it a value in msgpack, converted
/// as props in Terraform are: to plain JSON for a script, and back to what it was.
pub fn values_bridge(data: &[u8]) {
    let (ty, bytes) = type_and_rest(data);
    let Ok(value) = msgpack::decode(bytes, &ty) else {
        return;
    };
    let value = value.unknown_as_null();
    // JSON cannot express infinity.
    let Ok(text) = json::encode(&value, &value.ty()) else {
        return;
    };
    if text.len() > MOST_WRITTEN {
        return;
    }
    let back = json::implied_like(text.as_bytes(), &value).expect("what was written is read");
    assert_eq!(back, value);
    let written = msgpack::encode(&back, &ty).expect("it is of its type");
    let again = msgpack::decode(&written, &ty).expect("what was written is read");
    if !has_changing_numbers(&value) {
        assert_eq!(again, value);
    }
}

/// A type, as JSON or as an expression.
pub fn values_types(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    for ty in [Type::from_json(text).ok(), text.parse::<Type>().ok()] {
        let Some(ty) = ty else { continue };
        assert_eq!(Type::from_json(&ty.to_json()), Ok(ty.clone()));
        assert_eq!(ty.to_string().parse::<Type>(), Ok(ty.clone()));
        assert!(ty.without_optional().conforms_to(&ty));
    }
}

/// A few bytes can be a number of a hundred thousand digits, and many of those would take minutes to
/// read again.
const MOST_WRITTEN: usize = 1 << 20;

fn type_and_rest(data: &[u8]) -> (Type, &[u8]) {
    let mut parts = data.splitn(2, |byte| *byte == 0);
    let head = parts.next().and_then(|head| std::str::from_utf8(head).ok());
    match (head.map(Type::from_json), parts.next()) {
        (Some(Ok(ty)), Some(rest)) => (ty, rest),
        _ => (Type::Dynamic, data),
    }
}

fn check_type(value: &Value, ty: &Type) {
    let own = value.ty();
    assert!(own.conforms_to(ty), "{own} is not {ty}");
    assert!(!own.has_optional(), "a value of type {own}");
}

/// Numbers that go-cty does not preserve either: large whole doubles, and texts of many digits that are
/// exactly doubles.
fn has_changing_numbers(value: &Value) -> bool {
    let is_changing = |number: &Number| match number.is_integer() {
        true => number.precision() == 53 && number.to_i64().is_none(),
        false => number.precision() > 53 && number.to_f64_exact().is_some(),
    };
    let mut found = false;
    value.walk(&mut |_, value| {
        let bounds = match value.kind() {
            Kind::Unknown(known) => [known.lower(), known.upper()],
            _ => [None, None],
        };
        let bounds = bounds.into_iter().flatten().map(|bound| &bound.number);
        found |= value.as_number().into_iter().chain(bounds).any(is_changing);
        true
    });
    found
}
