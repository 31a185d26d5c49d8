//! Ephemeral resources.

use bytes::Bytes;
use tenon_protocols::seasonings::AnswerError;
use tenon_protocols::seasonings::calls::{Close, Kind, Open, Renew};
use tenon_values::Value;

use super::{Failed, Host, complete};
use crate::Typed;

/// An ephemeral resource that is open.
#[derive(Debug)]
pub struct Lease<'a> {
    host: &'a Host,
    name: &'a str,
    result: Value,
    renew_at: Option<String>,
    private: Option<Bytes>,
}

impl Host {
    /// Opens an ephemeral resource.
    ///
    /// # Errors
    /// Opening it failed, or there is none of this name.
    pub async fn open<'a>(
        &'a self,
        name: &'a str,
        config: &impl Typed,
    ) -> Result<Lease<'a>, Failed> {
        let schema = self.offer.ephemeral_resources.get(name);
        let body = &schema
            .ok_or_else(|| self.missing("ephemeral resource", name))?
            .body;
        let config = &complete(body, &config.to_value()?)?;
        let kind = Kind { name, body };
        let unfit = |error: AnswerError| Failed::new(error.to_string());
        let opened = self.ask(&Open { kind, config }).await?;
        self.tell(opened.diagnostics)?;
        Ok(Lease {
            host: self,
            name,
            result: opened.result.map_err(unfit)?.unwrap_or(Value::NULL),
            renew_at: opened.renew_at.map_err(unfit)?,
            private: opened.private.map_err(unfit)?,
        })
    }
}

impl Lease<'_> {
    /// What was configured, and what the plugin returned.
    ///
    /// # Errors
    /// It does not fit the type.
    pub fn result<T: Typed>(&self) -> Result<T, Failed> {
        Ok(T::from_value(&self.result)?)
    }

    /// When it has to be renewed, in the form of RFC 3339; `None` if that is not needed.
    pub fn renew_at(&self) -> Option<&str> {
        self.renew_at.as_deref()
    }

    /// Renews it.
    ///
    /// # Errors
    /// That failed.
    pub async fn renew(&mut self) -> Result<(), Failed> {
        let call = Renew {
            name: self.name,
            private: self.private.as_deref(),
        };
        let renewed = self.host.ask(&call).await?;
        self.host.tell(renewed.diagnostics)?;
        self.renew_at = renewed.renew_at;
        self.private = renewed.private.or(self.private.take());
        Ok(())
    }

    /// Closes it.
    ///
    /// # Errors
    /// That failed.
    pub async fn close(self) -> Result<(), Failed> {
        let call = Close {
            name: self.name,
            private: self.private.as_deref(),
        };
        let closed = self.host.ask(&call).await?;
        self.host.tell(closed.diagnostics)
    }
}
