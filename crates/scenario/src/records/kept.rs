//! What a provider is given, as a record keeps it: secrets apart, encrypted or only by name.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use tenon_values::{Error, Value, json};

use crate::masked::{Key, Masked, Way};
use crate::records::seal::{RecordKey, WrongKey, owner};

/// Attributes for a provider.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Kept {
    /// Plain JSON with `"(sensitive)"` for every secret.
    pub(crate) values: Box<RawValue>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) secrets: Vec<KeptSecret>,
}

/// A secret that is not in there.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct KeptSecret {
    /// Where it belongs.
    pub(crate) at: Way,
    /// The variables and outputs it is made from, as far as they are secrets.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub(crate) from: BTreeSet<String>,
    /// The variable or output that the whole attribute is a copy of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) copy_of: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) sealed: Option<String>,
}

/// A secret of an output or a variable, encrypted.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Sealed {
    pub(crate) at: Way,
    pub(crate) sealed: String,
}

/// Where the secrets of an attribute come from.
#[derive(Clone, Debug, Default)]
pub(crate) struct Origin {
    pub(crate) from: BTreeSet<String>,
    pub(crate) copy_of: Option<String>,
}

impl Kept {
    /// Attributes without their secrets, which are sealed if there is a key. `owner` says whose
    /// they are, `origin` where the secrets of an attribute come from.
    ///
    /// # Errors
    /// Something is unknown.
    pub(crate) fn of(
        attributes: &Value,
        owner: &str,
        sealer: &Sealer<'_>,
        origin: impl Fn(&str) -> Origin,
    ) -> Result<Kept, Error> {
        let (masked, secrets) = Masked::split(attributes)?;
        let secrets = masked.sensitive.into_iter().zip(&secrets);
        let secrets = secrets.map(|(at, secret)| {
            let origin = match at.first() {
                Some(Key::Name(name)) => origin(name),
                _ => Origin::default(),
            };
            KeptSecret {
                sealed: sealer.seal(owner, &at, secret),
                at,
                from: origin.from,
                copy_of: origin.copy_of,
            }
        });
        Ok(Kept {
            secrets: secrets.collect(),
            values: masked.value,
        })
    }

    pub(crate) fn masked(&self) -> Masked {
        Masked {
            value: self.values.clone(),
            sensitive: self
                .secrets
                .iter()
                .map(|secret| secret.at.clone())
                .collect(),
        }
    }

    /// How many bytes its values take.
    pub(crate) fn size(&self) -> usize {
        let sealed = self.secrets.iter().filter_map(|one| one.sealed.as_ref());
        self.values.get().len() + sealed.map(String::len).sum::<usize>()
    }
}

/// Encrypts and decrypts the secrets of one run, if there is a key.
#[derive(Clone, Debug)]
pub(crate) struct Sealer<'a> {
    run: String,
    key: Option<&'a RecordKey>,
}

impl<'a> Sealer<'a> {
    /// For the secrets of a run. `check` shows whether the key is the one that the run has secrets
    /// with already.
    ///
    /// # Errors
    /// It is another key.
    pub(crate) fn new(
        run: &str,
        check: Option<&str>,
        key: Option<&'a RecordKey>,
    ) -> Result<Sealer<'a>, WrongKey> {
        match (key, check) {
            (Some(key), Some(check)) if !key.fits(run, check) => Err(WrongKey),
            _ => Ok(Sealer {
                run: run.to_owned(),
                key,
            }),
        }
    }

    /// Without a key nothing is kept; a warning says so before the run.
    pub(crate) fn seal(&self, whose: &str, at: &[Key], secret: &Value) -> Option<String> {
        let text = json::encode(secret, &secret.ty()).ok()?;
        self.key?.seal(&owner(&self.run, whose, at), &text).ok()
    }

    pub(crate) fn open(&self, whose: &str, at: &[Key], sealed: &str) -> Option<Value> {
        let text = self.key?.open(&owner(&self.run, whose, at), sealed)?;
        json::implied(text.as_bytes()).ok()
    }

    /// The secrets of a value.
    pub(crate) fn sealed(&self, whose: &str, masked: &Masked, secrets: &[Value]) -> Vec<Sealed> {
        let parts = masked.sensitive.iter().zip(secrets);
        let seal = |(at, secret): (&Way, &Value)| {
            let sealed = self.seal(whose, at, secret)?;
            let at = at.clone();
            Some(Sealed { at, sealed })
        };
        parts.filter_map(seal).collect()
    }

    /// A value with those of its secrets in clear that can be opened. It is not for writing.
    pub(crate) fn opened(&self, masked: Masked, whose: &str, sealed: &[Sealed]) -> Masked {
        let find = |at: &Way| {
            let found = sealed.iter().find(|sealed| sealed.at == *at)?;
            self.open(whose, at, &found.sealed)
        };
        let ways = masked.sensitive.iter();
        let left: Vec<Way> = ways.filter(|at| find(at).is_none()).cloned().collect();
        let filled = masked.filled(|at| find(at).or_else(|| Some(Value::NULL)));
        let value = filled.ok().and_then(|value| {
            let value = value.unmark_deep().0;
            RawValue::from_string(json::encode(&value, &value.ty()).ok()?).ok()
        });
        match value {
            Some(value) => Masked {
                value,
                sensitive: left,
            },
            None => masked,
        }
    }
}
