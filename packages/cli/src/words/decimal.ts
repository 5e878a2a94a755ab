/** Atomic units as a decimal number with all its places: 1500000 at 6 decimals is `1.500000`. */
export function decimal(atomic: bigint, decimals: number): string {
  const digits = atomic.toString().padStart(decimals + 1, '0');
  return decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}
