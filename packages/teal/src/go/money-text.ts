const MILLI = 1000n;
const ALGO = 1_000_000n;

/** µAlgo as algod's messages print them: `0.0A`, `999uA`, `1mA`, `1.999mA`, `2A`, `1.000001A`. */
export function moneyText(microAlgos: bigint): string {
  if (microAlgos === 0n) return '0.0A';
  if (microAlgos < MILLI) return `${microAlgos}uA`;
  return microAlgos < ALGO ? `${scaled(microAlgos, MILLI, 3)}mA` : `${scaled(microAlgos, ALGO, 6)}A`;
}

function scaled(amount: bigint, unit: bigint, digits: number): string {
  const fraction = amount % unit;
  const whole = String(amount / unit);
  return fraction === 0n ? whole : `${whole}.${String(fraction).padStart(digits, '0')}`;
}
