import ipaddr from 'ipaddr.js';

/** `because` completes "It is …". */
export type AddressVerdict =
  | { readonly verdict: 'public' }
  | { readonly verdict: 'refused'; readonly because: string };

const PUBLIC: AddressVerdict = { verdict: 'public' };

/** Address ranges by the names of ipaddr.js. Any other range than `unicast` is refused as well. */
const RANGES: Readonly<Record<string, string>> = {
  unspecified: 'the unspecified address',
  broadcast: 'a broadcast address',
  multicast: 'a multicast address',
  linkLocal: 'a link-local address, where clouds keep their metadata',
  loopback: 'a loopback address',
  carrierGradeNat: "an address of a carrier's own network",
  private: 'a private address',
  uniqueLocal: 'a private address',
  deprecatedSiteLocal: 'a private address',
  ipv4Mapped: 'an IPv4 address in disguise',
  rfc6145: 'an IPv4 address in disguise',
  rfc6052: 'an IPv4 address in disguise',
  '6to4': 'an IPv4 address in disguise',
  teredo: 'an IPv4 address in disguise',
};
const RESERVED = 'a reserved address';

/** Azure's metadata address, reachable from every machine there. */
const CLOUD_HOSTS: ReadonlySet<string> = new Set(['168.63.129.16']);

/** The only range of IPv6 that is allocated to the public. */
const GLOBAL_UNICAST: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3];

/**
 * Checks whether an address belongs to the public internet. Only the standard notation is accepted.
 */
export function checkAddress(address: string): AddressVerdict {
  if (address.includes('%')) return refused('an address of one network interface');
  const parsed = parse(address);
  if (!parsed) return refused('not an address');
  const range = parsed.range();
  if (range !== 'unicast') return refused(RANGES[range] ?? RESERVED);
  if (parsed instanceof ipaddr.IPv6) {
    return parsed.match(GLOBAL_UNICAST) ? PUBLIC : refused(RESERVED);
  }
  return CLOUD_HOSTS.has(address) ? refused('an address of the cloud that this runs in') : PUBLIC;
}

function parse(address: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  // Four decimal numbers. Other notations of IPv4 addresses are used to bypass checks like this
  // one.
  if (ipaddr.IPv4.isValidFourPartDecimal(address)) return ipaddr.IPv4.parse(address);
  return ipaddr.IPv6.isValid(address) ? ipaddr.IPv6.parse(address) : undefined;
}

function refused(because: string): AddressVerdict {
  return { verdict: 'refused', because };
}
