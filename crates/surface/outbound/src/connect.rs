//! A connection to an address that was checked.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::limits::{OUTBOUND_ADDRESSES_MAX, OUTBOUND_ATTEMPTS_MAX};
use crate::{AddressFilter, Host, OutboundError, OutboundUrl, Resolve};

/// Resolves the host once and connects to one of the addresses that came back.
///
/// One address that the filter refuses refuses the host: no server is meant to be public and private at once, and
/// which address is tried first must not decide.
pub(crate) async fn connect(
    url: &OutboundUrl,
    filter: AddressFilter,
    resolver: &dyn Resolve,
    within: Duration,
) -> Result<TcpStream, OutboundError> {
    let addresses = addresses(url.host(), resolver).await?;
    for address in &addresses {
        filter.check(*address).map_err(|class| OutboundError::Address {
            host: url.host().to_string(),
            address: *address,
            class,
        })?;
    }
    let mut last = "it has no address".to_owned();
    for address in addresses.into_iter().take(OUTBOUND_ATTEMPTS_MAX) {
        match timeout(within, TcpStream::connect(SocketAddr::new(address, url.port()))).await {
            Ok(Ok(stream)) => return Ok(stream),
            Ok(Err(error)) => last = error.kind().to_string(),
            Err(_elapsed) => last = io::ErrorKind::TimedOut.to_string(),
        }
    }
    Err(OutboundError::Connect { host: url.authority(), cause: last })
}

/// The addresses of a host in the order of the resolver, each once.
async fn addresses(host: &Host, resolver: &dyn Resolve) -> Result<Vec<IpAddr>, OutboundError> {
    let name = match host {
        Host::Address(address) => return Ok(vec![*address]),
        Host::Name(name) => name,
    };
    let found = resolver
        .resolve(name)
        .await
        .map_err(|error| OutboundError::Resolve { host: name.clone(), cause: error.kind().to_string() })?;
    if found.len() > OUTBOUND_ADDRESSES_MAX {
        return Err(OutboundError::ManyAddresses { host: name.clone(), count: found.len() });
    }
    let mut addresses = Vec::with_capacity(found.len());
    for address in found {
        if !addresses.contains(&address) {
            addresses.push(address);
        }
    }
    Ok(addresses)
}
