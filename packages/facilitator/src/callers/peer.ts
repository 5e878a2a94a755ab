/** What a limit counts as one address: an IPv6 /64 is one, because whoever has one of its addresses has them all. */
export function peerOf(address: string): string {
  if (!address.includes(':') || address.includes('.')) return address.replace(/^::ffff:/i, '');
  const [plain = ''] = address.split('%', 1);
  const [head = '', tail] = plain.split('::');
  const groups = head.split(':');
  const after = tail?.split(':') ?? [];
  const missing = tail === undefined ? 0 : 8 - groups.length - after.length;
  return [...groups, ...Array.from({ length: missing }, () => '0'), ...after].slice(0, 4).join(':');
}
