import { isLoopbackAddress } from '@avm402/core/loopback';
import type { RequestFacts } from './request-facts.ts';

/**
 * Where a request comes from: the connection's address, or the one that a trusted proxy names. An IPv6 /64 counts as
 * one peer, because whoever has one of its addresses has them all.
 */
export function peerOf({ address }: Pick<RequestFacts, 'address'>): string {
  if (!address.includes(':') || address.includes('.')) return address.replace(/^::ffff:/i, '');
  const [head = '', tail] = address.split('%', 1)[0]?.split('::') ?? [];
  const groups = head.split(':');
  const missing = tail === undefined ? 0 : 8 - groups.length - tail.split(':').length;
  return [...groups, ...Array.from({ length: missing }, () => '0'), ...(tail?.split(':') ?? [])].slice(0, 4).join(':');
}

/**
 * Whether many clients may share an address: it is unknown, or it is this machine's, where an untrusted proxy forwards
 * for all.
 */
export function isSharedAddress(address: string): boolean {
  return address === '' || isLoopbackAddress(address);
}
