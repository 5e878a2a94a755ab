import type { Account } from '@avm402/algorand/account';
import { applicationAddress } from '@avm402/teal/application';
import { assemble } from '@avm402/teal/assemble';
import type { Transaction } from '../../src/codec/schema/transaction.ts';
import type { TransactionEffects } from '../../src/ledger/effects.ts';
import { groupMember } from '../../src/transaction/member.ts';
import { ALICE, sign, testChain, unsigned } from '../chain-fixture.ts';

/** What became of a call: its logs as hexadecimal text, or why it was refused. */
export interface Called {
  readonly logs: readonly string[];
  readonly refused: string | undefined;
  readonly data: Readonly<Record<string, unknown>> | undefined;
}

/** Words and bytes of programs, whatever the version. */
export function programOf(body: string, version = 13): Uint8Array {
  return assemble(`#pragma version ${version}\n#pragma typetrack false\n${body}`).program;
}

/** A block in which applications are created and called one after another. */
export class ApplicationStage {
  readonly #chain = testChain();
  readonly #block = this.#chain.startBlock();
  #notes = 0;

  /** Creates an application with money for inner transactions; the program does not run at its creation. */
  create(body: string, { creator = ALICE, version = 13 }: { creator?: Account; version?: number } = {}): bigint {
    const approvalProgram = programOf(`txn ApplicationID; bz created\n${body}\ncreated: int 1`, version);
    const clearStateProgram = programOf('int 1', version);
    const globalStateSchema = { uints: 4n, byteSlices: 4n };
    const creation = { type: 'appl', approvalProgram, clearStateProgram, globalStateSchema };
    const { effects, refused } = this.#add(creator, [this.#unsigned(creator, creation)]);
    if (refused !== undefined) throw new Error(refused);
    const id = effects.applicationId ?? 0n;
    const receiver = applicationAddress(id);
    this.#add(ALICE, [this.#unsigned(ALICE, { receiver, amount: 1_000_000n })]);
    return id;
  }

  /** Creates an application with other fields than `create` gives it. */
  creation(fields: Partial<Transaction>): Called {
    return this.#called([this.#unsigned(ALICE, { type: 'appl', fee: 10_000n, ...fields })]);
  }

  call(applicationId: bigint, fields: Partial<Transaction> = {}): Called {
    return this.#called([this.#callOf(applicationId, fields)]);
  }

  /** Calls an application in a group of two, after another transaction of the same sender. */
  callBesides(other: Partial<Transaction>, applicationId: bigint, fields: Partial<Transaction> = {}): Called {
    return this.#called([this.#unsigned(ALICE, other), this.#callOf(applicationId, fields)]);
  }

  #callOf(applicationId: bigint, fields: Partial<Transaction>): Transaction {
    return this.#unsigned(ALICE, { type: 'appl', applicationId, fee: 10_000n, ...fields });
  }

  #called(group: readonly Transaction[]): Called {
    const { effects, refused, data } = this.#add(ALICE, group);
    const logs = effects.program?.logs.map((log) => Buffer.from(log).toString('hex')) ?? [];
    return { logs, refused, data };
  }

  #unsigned(sender: Account, fields: Partial<Transaction>): Transaction {
    const note = Buffer.from(String(this.#notes++));
    return unsigned(sender, this.#chain.context, { note, ...fields });
  }

  #add(sender: Account, group: readonly Transaction[]): Added {
    const added = this.#block.add(group.map((each) => groupMember(sign(sender, each))));
    if (typeof added === 'object') return { effects: {}, refused: added.message, data: added.data };
    return { effects: this.#block.transactions.at(-1)?.effects ?? {}, refused: undefined, data: undefined };
  }
}

interface Added extends Pick<Called, 'refused' | 'data'> {
  readonly effects: TransactionEffects;
}
