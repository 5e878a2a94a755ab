import { BlockList, isIP } from 'node:net';

/** The longest URL that a database's index can hold. */
const MAX_LENGTH = 1_024;

/** Networks that are not the internet: this machine's, private and reserved ones. */
const PRIVATE = new BlockList();
for (const [net, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
] as const)
  PRIVATE.addSubnet(net, prefix, 'ipv4');

/** IPv6 addresses that are public: global unicast ones, except those that stand for IPv4 addresses. */
const GLOBAL_IPV6 = new BlockList();
GLOBAL_IPV6.addSubnet('2000::', 3, 'ipv6');
const TRANSLATED_IPV6 = new BlockList();
TRANSLATED_IPV6.addSubnet('2001::', 32, 'ipv6');
TRANSLATED_IPV6.addSubnet('2002::', 16, 'ipv6');

const PRIVATE_NAME = /(?:^|\.)(?:localhost|localdomain|local|internal|intranet|lan|home|corp)$/;

/** The URL, if it uses http or https, is not too long and has no password. */
export function parseWebUrl(text: string): URL | undefined {
  const url = text.length <= MAX_LENGTH && URL.canParse(text) ? new URL(text) : undefined;
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:';
  // A character outside ASCII becomes up to nine.
  const isShort = url !== undefined && url.href.length <= MAX_LENGTH;
  return isWeb && isShort && url.username === '' && url.password === '' ? url : undefined;
}

/**
 * Whether a catalogue may send its readers to the host, judged by its name alone, without a DNS query. A name that
 * leads to a private address is noticed only by those who follow it.
 */
export function isPublicHost({ hostname }: URL): boolean {
  const host = hostname.replace(/\.$/, '');
  const address = host.replace(/^\[|\]$/g, '');
  if (isIP(address) === 4) return !PRIVATE.check(address, 'ipv4');
  if (isIP(address) === 6) return GLOBAL_IPV6.check(address, 'ipv6') && !TRANSLATED_IPV6.check(address, 'ipv6');
  return host.includes('.') && !PRIVATE_NAME.test(host);
}

/**
 * Whether a URL belongs to a resource of the catalogue. Origin and path must be the same, where a segment of a route
 * template matches anything, and the tool must be the same if the URL names one.
 */
export function isOfResource(url: URL, resource: string): boolean {
  const listed = new URL(resource);
  if (listed.origin !== url.origin || (url.hash !== '' && url.hash !== listed.hash)) return false;
  const [segments, template] = [url.pathname.split('/'), listed.pathname.split('/')];
  return (
    segments.length === template.length &&
    template.every((segment, index) => segment.startsWith(':') || segment === segments[index])
  );
}
