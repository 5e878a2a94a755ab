import type { Request } from 'express';

/**
 * Where a request comes from: the address of its connection, or what a proxy that the app trusts says. One who has an
 * IPv6 address has the 2^64 others of its network, too, so they are one peer.
 */
export function peerOf(request: Request): string {
  const address = request.ip ?? '';
  if (!address.includes(':') || address.includes('.')) return address.replace(/^::ffff:/i, '');
  const [head = '', tail] = address.split('%', 1)[0]?.split('::') ?? [];
  const groups = head.split(':');
  const missing = tail === undefined ? 0 : 8 - groups.length - tail.split(':').length;
  return [...groups, ...Array.from({ length: missing }, () => '0'), ...(tail?.split(':') ?? [])].slice(0, 4).join(':');
}
