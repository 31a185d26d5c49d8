//! msgpack, there and back.

use proptest::prelude::*;
use tenon_values::Type;
use tenon_values::msgpack::{decode, encode, encode_into};

use crate::config;
use crate::types::any_type;
use crate::values::{Content, any_value, value_of};

proptest! {
    #![proptest_config(config(512))]

    #[test]
    fn values_come_back_by_their_own_type(value in any_value(Content::TRAVELLING)) {
        let ty = value.ty();
        let bytes = encode(&value, &ty).unwrap();
        let back = decode(&bytes, &ty).unwrap();
        prop_assert_eq!(back.ty(), ty.clone());
        prop_assert_eq!(&back, &value);
        prop_assert_eq!(encode(&back, &ty).unwrap(), bytes);
    }

    #[test]
    fn values_bring_their_types_along(value in any_value(Content::TRAVELLING)) {
        let bytes = encode(&value, &Type::Dynamic).unwrap();
        let back = decode(&bytes, &Type::Dynamic).unwrap();
        prop_assert_eq!(back.ty(), value.ty());
        prop_assert_eq!(&back, &value);
        prop_assert_eq!(encode(&back, &Type::Dynamic).unwrap(), bytes);
    }

    /// Also of those that come back as other numbers, as they do from go-cty.
    #[test]
    fn a_decoded_value_encodes_to_the_same_bytes(value in any_value(Content::ANY)) {
        let ty = value.ty();
        let bytes = encode(&value, &ty).unwrap();
        let back = decode(&bytes, &ty).unwrap();
        prop_assert_eq!(encode(&back, &ty).unwrap(), bytes);
    }

    #[test]
    fn what_conforms_is_written_and_read(
        (ty, value) in any_type().prop_flat_map(|ty| (Just(ty.clone()), value_of(&ty, Content::TRAVELLING)))
    ) {
        let bytes = encode(&value, &ty).unwrap();
        // Elements of different types cannot come back: empty collections in a collection of
        // dynamic ones lose theirs.
        if let Ok(back) = decode(&bytes, &ty) {
            prop_assert!(back.ty().conforms_to(&ty));
            prop_assert_eq!(encode(&back, &ty).unwrap(), bytes);
        } else {
            prop_assert!(ty.has_dynamic());
        }
    }

    #[test]
    fn bytes_are_put_behind_others(value in any_value(Content::TRAVELLING)) {
        let mut out = b"before".to_vec();
        encode_into(&value, &value.ty(), &mut out).unwrap();
        prop_assert_eq!(&out[..6], b"before");
        prop_assert_eq!(&out[6..], encode(&value, &value.ty()).unwrap());
    }

    #[test]
    fn a_truncated_value_is_an_error(value in any_value(Content::TRAVELLING), cut in any::<prop::sample::Index>()) {
        let bytes = encode(&value, &value.ty()).unwrap();
        prop_assert!(decode(&bytes[..cut.index(bytes.len())], &value.ty()).is_err());
    }
}
