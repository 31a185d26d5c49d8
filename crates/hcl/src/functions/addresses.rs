//! Functions of IP addresses and networks.

use std::fmt;
use std::net::{Ipv4Addr, Ipv6Addr};

use tenon_values::{Type, Value};

use crate::function::parameter::{number, string};
use crate::function::{Arguments, Function, FunctionError};

/// The most bits that `cidrsubnets` takes for one network.
const SUBNET_BITS: u32 = 32;

pub(super) fn all() -> Vec<Function> {
    vec![
        Function::new("cidrhost", [string("prefix"), number("number")])
            .describe("Returns the address with this number in a network; -1 is the last one.")
            .gives(Type::String, host),
        Function::new("cidrnetmask", [string("prefix")])
            .describe("Returns the subnet mask of an IPv4 network as an address.")
            .gives(Type::String, mask),
        Function::new(
            "cidrsubnet",
            [string("prefix"), number("bits"), number("number")],
        )
        .describe(
            "Returns the subnet with this number, after extending the prefix by this many bits.",
        )
        .gives(Type::String, subnet),
        Function::new("cidrsubnets", [string("prefix")])
            .and_more(number("bits"))
            .describe(
                "Returns consecutive subnets, each with its prefix extended by this many bits.",
            )
            .gives(Type::list(Type::String), subnets),
    ]
}

/// An address and how many of its bits name the network; the others are zero.
#[derive(Clone, Copy)]
struct Network {
    bits: u128,
    /// 32 or 128.
    width: u32,
    prefix: u32,
}

impl Network {
    fn read(text: &str) -> Option<Network> {
        let (address, prefix) = text.split_once('/')?;
        let (bits, width) = match address.contains(':') {
            true => (u128::from(address.parse::<Ipv6Addr>().ok()?), 128),
            false => (u128::from(read_ipv4(address)?), 32),
        };
        let is_number = !prefix.is_empty() && prefix.bytes().all(|byte| byte.is_ascii_digit());
        let prefix = prefix
            .parse()
            .ok()
            .filter(|prefix| is_number && *prefix <= width)?;
        let network = Network {
            bits,
            width,
            prefix,
        };
        let bits = bits & !network.hosts();
        Some(Network { bits, ..network })
    }

    /// The greatest number that a host can have.
    fn hosts(&self) -> u128 {
        low_bits(self.width - self.prefix)
    }

    fn address(&self, bits: u128) -> String {
        match u32::try_from(bits) {
            Ok(bits) if self.width == 32 => Ipv4Addr::from(bits).to_string(),
            _ => Ipv6Addr::from(bits).to_string(),
        }
    }
}

impl fmt::Display for Network {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", self.address(self.bits), self.prefix)
    }
}

/// Zeros in front are allowed, as in Terraform; elsewhere they would make the number octal.
fn read_ipv4(text: &str) -> Option<u32> {
    let parts: Vec<&str> = text.split('.').collect();
    let mut bits = 0;
    for part in &parts {
        let is_number = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        let part: u8 = part.parse().ok().filter(|_| is_number)?;
        bits = (bits << 8) | u32::from(part);
    }
    (parts.len() == 4).then_some(bits)
}

fn low_bits(count: u32) -> u128 {
    u128::MAX.checked_shr(128 - count).unwrap_or(0)
}

fn network(arguments: Arguments) -> Result<Network, FunctionError> {
    let text = arguments.text(0)?;
    Network::read(text).ok_or_else(|| {
        let message = "a network such as 10.0.0.0/8 or 2001:db8::/32 is required";
        FunctionError::new(message).at(0).quoting(text)
    })
}

fn whole(arguments: Arguments, index: usize) -> Result<i128, FunctionError> {
    let whole = arguments.number(index)?.to_i128();
    whole.ok_or_else(|| FunctionError::new("a whole number is required").at(index))
}

fn host(arguments: Arguments) -> Result<Value, FunctionError> {
    let network = network(arguments)?;
    let number = whole(arguments, 1)?;
    let last = network.hosts();
    let host = match u128::try_from(number) {
        Ok(number) => Some(number).filter(|number| *number <= last),
        Err(_) => last.checked_sub(number.unsigned_abs() - 1),
    };
    let host = host.ok_or_else(|| {
        let bits = network.width - network.prefix;
        FunctionError::new(format!(
            "the network has {bits} bits for hosts, which this number does not fit"
        ))
        .at(1)
    })?;
    Ok(network.address(network.bits | host).into())
}

fn mask(arguments: Arguments) -> Result<Value, FunctionError> {
    let network = network(arguments)?;
    if network.width != 32 {
        return Err(FunctionError::new("an IPv4 network is required; IPv6 has no masks").at(0));
    }
    Ok(network.address(low_bits(32) & !network.hosts()).into())
}

/// The length of the prefix, extended by `bits`.
fn longer(network: Network, bits: i128) -> Option<u32> {
    let prefix = network.prefix.checked_add(u32::try_from(bits).ok()?)?;
    (prefix <= network.width).then_some(prefix)
}

fn subnet(arguments: Arguments) -> Result<Value, FunctionError> {
    let network = network(arguments)?;
    let prefix = longer(network, whole(arguments, 1)?).ok_or_else(|| {
        let most = network.width - network.prefix;
        FunctionError::new(format!("a number of bits from 0 to {most} is required")).at(1)
    })?;
    let last = low_bits(prefix - network.prefix);
    let number = u128::try_from(whole(arguments, 2)?)
        .ok()
        .filter(|number| *number <= last);
    let number = number.ok_or_else(|| {
        FunctionError::new(format!(
            "a number from 0 to {last} is required, or more bits"
        ))
        .at(2)
    })?;
    // With no bits to shift by there is no number but 0.
    let number = number.checked_shl(network.width - prefix).unwrap_or(0);
    let subnet = Network {
        bits: network.bits | number,
        prefix,
        ..network
    };
    Ok(subnet.to_string().into())
}

fn subnets(arguments: Arguments) -> Result<Value, FunctionError> {
    let network = network(arguments)?;
    let mut subnets = Vec::new();
    // The first address that is not taken; nothing once the last one is.
    let mut free = Some(network.bits);
    for index in 1..arguments.all().len() {
        let bits = whole(arguments, index)?;
        let is_allowed = (1..=i128::from(SUBNET_BITS)).contains(&bits);
        let prefix = longer(network, bits)
            .filter(|_| is_allowed)
            .ok_or_else(|| {
                let most = SUBNET_BITS.min(network.width - network.prefix);
                FunctionError::new(format!("a number of bits from 1 to {most} is required"))
                    .at(index)
            })?;
        let size = low_bits(network.width - prefix);
        let start = free
            .and_then(|free| free.checked_add(size))
            .map(|end| end & !size);
        let start = start
            .filter(|start| *start <= network.bits | network.hosts())
            .ok_or_else(|| {
                let message = "the networks before it leave no room for this one";
                FunctionError::new(message).at(index)
            })?;
        let subnet = Network {
            bits: start,
            prefix,
            ..network
        };
        subnets.push(Value::from(subnet.to_string()));
        free = (start | size).checked_add(1);
    }
    Ok(Value::list(Type::String, subnets)?)
}
