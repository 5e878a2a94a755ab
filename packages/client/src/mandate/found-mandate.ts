import type { AlgodClient } from '@avm402/algorand/algod';
import { parseAddress } from '@avm402/algorand/address';
import { encodeMandateConfig, mandateAddress, parseMandateProgram } from '@avm402/avm/mandate';
import { fieldOf, isBytes, membersOf, roundsBetween } from '../own-node/block-record.ts';
import type { Mandate } from './mandate.ts';

/** Rounds that are searched: as many as the ledger holds a lease for. */
const ROUNDS = 1_000n;

/**
 * The mandate of an account, from the program that it signed with last; undefined if it signed with no mandate's in the
 * last 1,000 rounds. Its receivers are not on the chain.
 * @throws what algod throws
 */
export async function findMandate(
  algod: Pick<AlgodClient, 'status' | 'block'>,
  address: string,
): Promise<Mandate | undefined> {
  const sender = parseAddress(address);
  const { lastRound } = await algod.status();
  for (const rounds of [...roundsBetween(lastRound - ROUNDS + 1n, lastRound)].toReversed()) {
    const blocks = await Promise.all(rounds.map((round) => algod.block(round)));
    const programs = blocks.flatMap((block) => programsOf(block, sender));
    const found = programs.flatMap((program) => mandateOf(program, address)).at(-1);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The programs that signed for an account in a block. */
function programsOf(record: unknown, sender: Uint8Array): Uint8Array[] {
  return membersOf(record).flatMap((member) => {
    const program = fieldOf(fieldOf(member, 'lsig'), 'l');
    return isBytes(fieldOf(fieldOf(member, 'txn'), 'snd'), sender) && program instanceof Uint8Array ? [program] : [];
  });
}

function mandateOf(program: Uint8Array, address: string): Mandate[] {
  const config = parseMandateProgram(program);
  return config !== undefined && mandateAddress(config) === address
    ? [{ address, config: encodeMandateConfig(config) }]
    : [];
}
