//! One call: a try, and more of them where that is safe.

use std::time::Duration;

use tokio::time::{Instant, sleep, timeout_at};

use super::Client;
use super::connection::{Connection, Reply};
use super::error::ClientError;
use super::outgoing::Outgoing;
use super::pause::pause;
use crate::error::{ErrorAnswer, WireError};

/// Why one try failed.
struct Failed {
    error: ClientError,
    /// Whether the server may have begun with it.
    was_sent: bool,
    /// Whether the same may go well after a pause.
    for_later: bool,
}

impl Client {
    /// Sends a request until it is answered, refused, or tried often enough.
    pub(super) async fn call<T>(
        &self,
        request: Outgoing,
        read: impl Fn(&[u8]) -> Result<T, WireError>,
    ) -> Result<T, ClientError> {
        self.call_with_flags(request, |body, _| read(body)).await
    }

    /// The same for an answer whose flags say something.
    pub(super) async fn call_with_flags<T>(
        &self,
        mut request: Outgoing,
        read: impl Fn(&[u8], u16) -> Result<T, WireError>,
    ) -> Result<T, ClientError> {
        let mut tries = 0;
        loop {
            let failed = match self.try_once(&mut request, &read).await {
                Ok(value) => return Ok(value),
                Err(failed) => failed,
            };
            let is_safe = !failed.was_sent || request.is_idempotent();
            if !is_safe {
                return Err(ClientError::OutcomeUnknown { reason: Box::new(failed.error) });
            }
            if !failed.for_later || tries >= self.pool.config.retries {
                return Err(failed.error);
            }
            let pause = pause(&self.pool.config, tries);
            tracing::debug!(error = %failed.error, ?pause, "trying again");
            sleep(pause).await;
            tries += 1;
        }
    }

    /// Opens the first connection, or says why there is none.
    pub(super) async fn greet(&self) -> Result<(), ClientError> {
        let mut tries = 0;
        loop {
            match self.open(self.pool.config.dial_timeout).await {
                Ok(connection) => {
                    self.pool.put_back(connection);
                    return Ok(());
                }
                Err(failed) if !failed.for_later || tries >= self.pool.config.retries => {
                    return Err(failed.error);
                }
                Err(_) => sleep(pause(&self.pool.config, tries)).await,
            }
            tries += 1;
        }
    }

    async fn try_once<T>(
        &self,
        request: &mut Outgoing,
        read: &impl Fn(&[u8], u16) -> Result<T, WireError>,
    ) -> Result<T, Failed> {
        let after = self.pool.config.request_timeout;
        let deadline = far_or(after);
        let busy = || Failed::unsent(ClientError::Busy { after }, false);
        let _slot = timeout_at(deadline, self.pool.slot()).await.map_err(|_| busy())?;
        if Instant::now() >= deadline {
            return Err(busy());
        }
        let mut connection = match self.pool.take() {
            Some(connection) => connection,
            None => self.open(deadline.saturating_duration_since(Instant::now())).await?,
        };
        let answered = match timeout_at(deadline, connection.exchange(request)).await {
            Err(_) => Err(ClientError::TimedOut { after }),
            Ok(Err(error)) => Err(error),
            Ok(Ok(Reply::Refused(error))) => {
                self.pool.put_back(connection);
                return Err(Failed::refused(error));
            }
            Ok(Ok(Reply::Done(body, flags))) => read(&body, flags).map_err(ClientError::Malformed),
        };
        match answered {
            Ok(value) => {
                self.pool.put_back(connection);
                Ok(value)
            }
            Err(error) => {
                let for_later = matches!(error, ClientError::Lost(_));
                if for_later {
                    self.pool.clear();
                }
                Err(Failed { error, was_sent: true, for_later })
            }
        }
    }

    async fn open(&self, at_most: Duration) -> Result<Connection, Failed> {
        let config = &self.pool.config;
        let after = config.dial_timeout.min(at_most);
        let opening =
            Connection::open(&self.pool.addr, &config.tag, config.token.as_ref(), self.pool.tls.as_ref());
        match timeout_at(far_or(after), opening).await {
            Ok(Ok(connection)) => Ok(connection),
            Ok(Err(ClientError::Server { code, name, message, hint })) => {
                Err(Failed::refused(ErrorAnswer { code, name, message, hint }))
            }
            Ok(Err(error)) => {
                let for_later = matches!(error, ClientError::Connect { .. } | ClientError::Lost(_));
                Err(Failed::unsent(error, for_later))
            }
            Err(_) => Err(Failed::unsent(ClientError::TimedOut { after }, true)),
        }
    }
}

impl Failed {
    /// The server has begun with nothing.
    fn unsent(error: ClientError, for_later: bool) -> Self {
        Failed { error, was_sent: false, for_later }
    }

    /// The server says that it was not done; those errors of which it is not sure say so themselves.
    fn refused(error: ErrorAnswer) -> Self {
        let for_later = error.is_for_later();
        Failed::unsent(error.into(), for_later)
    }
}

/// The moment so long from now, or one that nobody lives to see.
fn far_or(from_now: Duration) -> Instant {
    let far = Duration::from_secs(60 * 60 * 24 * 365);
    Instant::now() + from_now.min(far)
}
