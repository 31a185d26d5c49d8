//! The equality of cty, a hash that agrees with it, and the order by exact value.

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use super::decimal::Decimal;
use super::{Number, Repr};

impl PartialEq for Number {
    fn eq(&self, other: &Number) -> bool {
        match (&self.0, &other.0) {
            (Repr::Small { value: left, .. }, Repr::Small { value: right, .. }) => left == right,
            (Repr::Infinite { negative: left }, Repr::Infinite { negative: right }) => {
                left == right
            }
            (Repr::Double(left), Repr::Double(right)) => left == right,
            (Repr::Large(left), Repr::Large(right)) if Arc::ptr_eq(left, right) => true,
            _ => self.equals_slowly(other),
        }
    }
}

impl Eq for Number {}

impl Hash for Number {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match &self.0 {
            Repr::Small { value, .. } => (0u8, value).hash(state),
            Repr::Infinite { negative } => (1u8, negative).hash(state),
            _ if self.is_zero() => (0u8, 0i64).hash(state),
            _ if self.is_integer() => (2u8, self.binary()).hash(state),
            _ => (3u8, self.has_minus(), self.decimal()).hash(state),
        }
    }
}

impl Number {
    /// Orders by exact value, with the infinities at the ends. Numbers that are equal in
    /// cty, such as 0.1 at two precisions, can still be ordered.
    pub fn compare(&self, other: &Number) -> Ordering {
        if let (Repr::Small { value: left, .. }, Repr::Small { value: right, .. }) =
            (&self.0, &other.0)
        {
            return left.cmp(right);
        }
        let signs = self.sign().cmp(&other.sign());
        signs.then_with(|| {
            let magnitudes = match (self.binary(), other.binary()) {
                (Some(left), Some(right)) => left.compare_magnitude(&right),
                (left, right) => left.is_none().cmp(&right.is_none()),
            };
            match self.has_minus() {
                true => magnitudes.reverse(),
                false => magnitudes,
            }
        })
    }

    fn equals_slowly(&self, other: &Number) -> bool {
        let (Some(left), Some(right)) = (self.binary(), other.binary()) else {
            return false;
        };
        if left.is_zero() || right.is_zero() {
            return left.is_zero() && right.is_zero();
        }
        let is_same = left == right;
        if left.is_integer()
            || right.is_integer()
            || (is_same && self.precision() == other.precision())
        {
            return is_same;
        }
        // Values with equal texts are close to each other.
        left.negative == right.negative
            && left.top().abs_diff(right.top()) <= 2
            && self.decimal() == other.decimal()
    }

    /// The digits of the text and the position of the point: the text itself may be long.
    fn decimal(&self) -> Option<Decimal> {
        self.binary()
            .map(|binary| Decimal::shortest(&binary, self.precision()))
    }

    /// -1, 0 or 1.
    fn sign(&self) -> i8 {
        match (self.is_zero(), self.has_minus()) {
            (true, _) => 0,
            (false, true) => -1,
            (false, false) => 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::hash::{DefaultHasher, Hasher};

    fn parsed(text: &str) -> Number {
        text.parse().unwrap()
    }

    fn hash(number: &Number) -> u64 {
        let mut hasher = DefaultHasher::new();
        number.hash(&mut hasher);
        hasher.finish()
    }

    fn assert_equal(left: &Number, right: &Number) {
        assert_eq!(left, right);
        assert_eq!(right, left);
        assert_eq!(hash(left), hash(right));
    }

    #[test]
    fn equal() {
        let double = |value: f64| Number::try_from(value).unwrap();
        assert_equal(&parsed("0.1"), &double(0.1));
        assert_equal(&parsed("0.5"), &double(0.5));
        assert_equal(&parsed("0"), &parsed("-0"));
        assert_equal(&parsed("-0"), &double(-0.0));
        assert_equal(&parsed("12"), &Number::from(12));
        assert_equal(&parsed("18446744073709551615"), &Number::from(u64::MAX));
        assert_equal(&double(2f64.powi(80)), &parsed("1208925819614629174706176"));
        assert_equal(&Number::INFINITY, &double(f64::INFINITY));
    }

    #[test]
    fn different() {
        for (left, right) in [
            ("0.1", "-0.1"),
            ("0.1", "0.2"),
            ("1", "1.5"),
            ("1e30", "1e31"),
            ("1e30", "-1e30"),
            ("inf", "-inf"),
            ("inf", "1"),
            ("0", "0.5"),
            ("1", "1.00000000000000000000000000000000000000001"),
        ] {
            assert_ne!(parsed(left), parsed(right));
            assert_ne!(parsed(right), parsed(left));
        }
        // The text of 1e23 at 53 bits is round, its value is not; integers are compared by value.
        assert_ne!(Number::try_from(1e23).unwrap(), parsed("1e23"));
    }

    #[test]
    fn ordered() {
        let rising = [
            "-inf",
            "-1e1000",
            "-18446744073709551616",
            "-2",
            "-1.5",
            "-1",
            "-1e-1000",
            "0",
            "1e-1000",
            "0.1",
            "1",
            "1.00000000000000000001",
            "1.5",
            "2",
            "18446744073709551616",
            "1e1000",
            "inf",
        ];
        for (left, lesser) in rising.iter().enumerate() {
            for (right, greater) in rising.iter().enumerate() {
                let order = parsed(lesser).compare(&parsed(greater));
                assert_eq!(order, left.cmp(&right), "{lesser} and {greater}");
            }
        }
        assert_eq!(parsed("-0").compare(&Number::ZERO), Ordering::Equal);
        // Equal, although the values differ.
        let double = Number::try_from(0.1).unwrap();
        assert_eq!(double.compare(&parsed("0.1")), Ordering::Greater);
    }

    proptest! {
        #[test]
        fn the_order_is_that_of_integers(left: i64, right: i64, scale in 0u32..40) {
            let wide = |value: i64| i128::from(value) << scale;
            let number = |value: i64| parsed(&wide(value).to_string());
            let (a, b) = (number(left), number(right));
            prop_assert_eq!(a.compare(&b), left.cmp(&right));
            prop_assert_eq!(b.compare(&a), right.cmp(&left));
            prop_assert_eq!(a == b, left == right);
            let mixed = wide(left).cmp(&i128::from(right));
            prop_assert_eq!(a.compare(&Number::from(right)), mixed);
        }

        #[test]
        fn the_order_is_antisymmetric(left in "-?[0-9]{1,3}\\.[0-9]{1,3}", right in "-?[0-9]{1,3}\\.[0-9]{1,3}") {
            let (a, b) = (parsed(&left), parsed(&right));
            prop_assert_eq!(a.compare(&b), b.compare(&a).reverse());
            prop_assert_eq!(a == b, a.compare(&b).is_eq());
            prop_assert!(a != b || hash(&a) == hash(&b));
        }
    }
}
