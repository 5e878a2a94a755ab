import { CURRENT_PARAMETERS, type Environment, run, type RunOptions, type RunResult } from '../src/run.ts';
import { programGroup, type GroupTransaction } from '../src/group.ts';

const ADDRESS = 'QJTBOVNTJ3A667ZK6QEVEQYBWFRKJFY7GOMY2Y2MHOB6R5NCMVTBWUALB4';

/** A group of one payment. */
export const PAYMENT: readonly GroupTransaction[] = programGroup([
  {
    type: 'pay',
    sender: ADDRESS,
    receiver: ADDRESS,
    amount: 5n,
    fee: 1000n,
    firstValid: 10n,
    lastValid: 20n,
    genesisHash: new Uint8Array(32).fill(1),
  },
]);

/** Runs a program given in hex, as the logic signature of a payment. */
export function runHex(hex: string, options: Partial<RunOptions> = {}): RunResult {
  return run(bytes(hex), { group: PAYMENT, index: 0, ...options });
}

/** Bytes given in hex; spaces make it readable. */
export function bytes(hex: string): Uint8Array {
  return Uint8Array.from(Buffer.from(hex.replaceAll(' ', ''), 'hex'));
}

/** A chain of blocks whose time is their round. */
export function chainOf(latestRound: bigint): Environment {
  const header = {
    seed: new Uint8Array(32),
    proposer: new Uint8Array(32),
    feesCollected: 0n,
    bonus: 0n,
    branch: new Uint8Array(32),
    feeSink: new Uint8Array(32),
    protocol: new Uint8Array(0),
    transactionCounter: 0n,
    proposerPayout: 0n,
    branch512: new Uint8Array(64),
    sha512_256Commitment: new Uint8Array(32),
    sha256Commitment: new Uint8Array(32),
    sha512Commitment: new Uint8Array(64),
  };
  return {
    parameters: CURRENT_PARAMETERS,
    genesisHash: new Uint8Array(32),
    latestRound,
    blockHeader: (round) => (round > latestRound ? undefined : { ...header, timestamp: round }),
  };
}
