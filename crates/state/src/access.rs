//! Access to a server: clients need its password, which is new for each server.

use base64::{
    Engine,
    engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD},
};
use hyper::header::HeaderValue;

/// The user name is the same everywhere; the password decides.
pub(crate) const USER: &str = "tenon";

/// The password of one server.
pub(crate) struct Access {
    password: String,
    /// What the header `Authorization` must have.
    expected: String,
}

/// What an `Authorization` header allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Permit {
    Granted,
    /// There was none.
    Missing,
    Wrong,
}

impl Access {
    /// Makes a password of 256 random bits.
    pub(crate) fn random() -> Result<Access, getrandom::Error> {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes)?;
        let password = URL_SAFE_NO_PAD.encode(bytes);
        let expected = STANDARD.encode(format!("{USER}:{password}"));
        Ok(Access { password, expected })
    }

    pub(crate) fn password(&self) -> &str {
        &self.password
    }

    pub(crate) fn check(&self, header: Option<&HeaderValue>) -> Permit {
        let Some(header) = header else {
            return Permit::Missing;
        };
        let given = header.as_bytes();
        let scheme = given.get(..6).unwrap_or_default();
        match scheme.eq_ignore_ascii_case(b"basic ") && same(&given[6..], self.expected.as_bytes())
        {
            true => Permit::Granted,
            false => Permit::Wrong,
        }
    }
}

/// Compares in a time that does not depend on where the first difference is.
fn same(given: &[u8], expected: &[u8]) -> bool {
    given.len() == expected.len()
        && given
            .iter()
            .zip(expected)
            .fold(0, |difference, (a, b)| difference | (a ^ b))
            == 0
}

#[cfg(test)]
mod tests {
    use hyper::header::HeaderValue;

    use super::{Access, Permit};

    #[test]
    fn only_the_exact_password_is_let_in() {
        let access = Access::random().unwrap();
        let check = |text: &str| access.check(Some(&HeaderValue::from_str(text).unwrap()));
        assert_eq!(
            check(&format!("Basic {}", access.expected)),
            Permit::Granted
        );
        assert_eq!(
            check(&format!("basic {}", access.expected)),
            Permit::Granted
        );
        for wrong in ["", "Basic", "Basic ", "Bearer x", &access.expected] {
            assert_eq!(check(wrong), Permit::Wrong, "{wrong}");
        }
        assert_eq!(check(&format!("Basic {}=", access.expected)), Permit::Wrong);
        assert_eq!(access.check(None), Permit::Missing);
        assert_ne!(access.password, Access::random().unwrap().password);
    }
}
