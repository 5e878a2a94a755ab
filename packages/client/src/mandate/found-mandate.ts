import type { AlgodClient } from '@avm402/algorand/algod';
import { parseAddress } from '@avm402/algorand/address';
import { encodeMandateConfig, mandateAddress, parseMandateProgram } from '@avm402/avm/mandate';
import { fieldOf } from '../own-node/block-record.ts';
import type { Mandate } from './mandate.ts';

/** Rounds that are searched: as many as the ledger holds a lease for. */
const ROUNDS = 1_000n;
/** Blocks that are asked for at once. */
const AT_ONCE = 8n;

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
  const first = lastRound > ROUNDS ? lastRound - ROUNDS + 1n : 1n;
  for (let last = lastRound; last >= first; last -= AT_ONCE) {
    const rounds = Array.from({ length: Number(AT_ONCE) }, (_, index) => last - BigInt(index)).filter(
      (round) => round >= first,
    );
    const blocks = await Promise.all(rounds.map((round) => algod.block(round)));
    const [found] = blocks
      .flatMap((block) => programsOf(block, sender))
      .flatMap((program) => mandateOf(program, address));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The programs that signed for an account in a block. */
function programsOf(record: unknown, sender: Uint8Array): Uint8Array[] {
  const members: unknown = fieldOf(fieldOf(record, 'block'), 'txns');
  if (!Array.isArray(members)) return [];
  return members.flatMap((member: unknown) => {
    const [by, program] = [fieldOf(fieldOf(member, 'txn'), 'snd'), fieldOf(fieldOf(member, 'lsig'), 'l')];
    const isItsOwn = by instanceof Uint8Array && sender.every((byte, index) => byte === by[index]);
    return isItsOwn && program instanceof Uint8Array ? [program] : [];
  });
}

function mandateOf(program: Uint8Array, address: string): Mandate[] {
  const config = parseMandateProgram(program);
  return config !== undefined && mandateAddress(config) === address
    ? [{ address, config: encodeMandateConfig(config) }]
    : [];
}
