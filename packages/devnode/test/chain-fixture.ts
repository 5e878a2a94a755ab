// A small chain of its own, and transactions signed for it.
import { accountFromSeed, type Account } from '@avm402/algorand/account';
import { formatAddress, parseAddress } from '@avm402/algorand/address';
import { sha512_256 } from '@avm402/algorand/hash';
import { MsgpackWriter } from '@avm402/algorand/msgpack-writer';
import { isAllZero, ZERO_32 } from '../src/codec/bytes.ts';
import { encode } from '../src/codec/document.ts';
import { signedTransaction, type SignedTransaction } from '../src/codec/schema/signed-transaction.ts';
import { transaction, type Transaction } from '../src/codec/schema/transaction.ts';
import { parseGenesis, type Genesis } from '../src/genesis/genesis.ts';
import { Chain } from '../src/ledger/chain.ts';
import { DevelopmentNode, type NodeOptions } from '../src/development-node.ts';
import { signingMessage } from '../src/transaction/member.ts';

export const V41 = 'https://github.com/algorandfoundation/specs/tree/953304de35264fc3ef91bcd05c123242015eeaed';
const V42 = 'https://github.com/algorandfoundation/specs/tree/268b63433a907455d439995bf916f6b296018f4f';
export const FEE_SINK = 'A7NMWS3NT3IUDMLVO26ULGXGIIOUQ3ND2TXSER6EBGRZNOBOUIQXHIBGDE';
export const REWARDS_POOL = '7777777777777777777777777777777777777777777777777774MSJUVU';

/** A fixed account: the same number, the same keys. */
export function testAccount(number: number): Account {
  return accountFromSeed(new Uint8Array(32).fill(number));
}

export const ALICE = testAccount(1);
export const BOB = testAccount(2);
export const CAROL = testAccount(3);

const BALANCE = 1_000_000_000;

export interface GenesisChanges {
  readonly proto?: string;
  readonly timestamp?: number;
  readonly devmode?: boolean;
  /** State of Alice's account, beside her Algos. */
  readonly alice?: Readonly<Record<string, string | number>>;
  readonly rewardsPool?: number;
}

/** A genesis in which Alice, Bob and Carol have 1000 Algos each. */
export function testGenesis({ alice = {}, rewardsPool = 100_000, ...changes }: GenesisChanges = {}): string {
  const allocation = (addr: string, state: object): object => ({ addr, comment: '', state });
  const accounts = [BOB, CAROL].map(({ address }) => allocation(address, { algo: BALANCE }));
  return JSON.stringify({
    alloc: [
      allocation(REWARDS_POOL, { algo: rewardsPool, onl: 2 }),
      allocation(FEE_SINK, { algo: 100_000, onl: 2 }),
      allocation(ALICE.address, { algo: BALANCE, ...alice }),
      ...accounts,
    ],
    devmode: true,
    fees: FEE_SINK,
    id: 'v1',
    network: 'test',
    proto: V42,
    rwd: REWARDS_POOL,
    timestamp: 1_700_000_000,
    ...changes,
  });
}

/** A node on the test genesis. */
export function testNode(options: NodeOptions = {}): DevelopmentNode {
  return new DevelopmentNode({ genesis: testGenesis(), ...options });
}

/** A chain on the test genesis, with rules changed as given. */
export function testChain(rules: Partial<Genesis['parameters']> = {}): Chain {
  const genesis = parseGenesis(testGenesis());
  const parameters = { ...genesis.parameters, ...rules };
  return new Chain({ ...genesis, parameters }, { overlay: undefined, lookback: { states: 4, blocks: Infinity } });
}

interface GenesisName {
  readonly genesisId: string;
  readonly genesisHash: Uint8Array;
}

/** A chain that a transaction is for. */
type Presented = GenesisName | DevelopmentNode;

/** A transaction valid in the first 1000 rounds; a payment of 1 µAlgo to Bob unless something else is given. */
export function unsigned(
  sender: Pick<Account, 'address'>,
  chain: Presented,
  fields: Partial<Transaction> = {},
): Transaction {
  const { genesisId, genesisHash } = 'queries' in chain ? chain.queries : chain;
  const payment = { receiver: parseAddress(BOB.address), amount: 1n };
  return transaction.of({
    type: 'pay',
    sender: parseAddress(sender.address),
    fee: 1000n,
    firstValid: 0n,
    lastValid: 1000n,
    genesisId,
    genesisHash,
    ...(fields.type === undefined || fields.type === 'pay' ? payment : {}),
    ...fields,
  });
}

export function sign(signer: Account, txn: Transaction): SignedTransaction {
  return signedTransaction.of({ transaction: txn, signature: signer.sign(signingMessage(txn)) });
}

/** The bytes of a group of one: a transaction of Alice, or of another signer. */
export function signedBytes(chain: Presented, fields: Partial<Transaction> = {}, signer: Account = ALICE): Uint8Array {
  return encode(signedTransaction, sign(signer, unsigned(signer, chain, fields)));
}

/** The bytes of transactions, several as the group that they form; what has a signature is signed again, by its sender. */
export function groupBytes(signed: readonly SignedTransaction[]): Uint8Array {
  const group = signed.length === 1 ? ZERO_32 : groupId(signed);
  const members = signed.map((each) => {
    const txn = { ...each.transaction, group };
    const { signature } = isAllZero(each.signature) ? each : sign(senderOf(txn), txn);
    return { ...each, transaction: txn, signature };
  });
  return Buffer.concat(members.map((each) => encode(signedTransaction, each)));
}

/** The account that a transaction is sent by. */
function senderOf({ sender }: Transaction): Account {
  const address = formatAddress(sender);
  return [BOB, CAROL].find((account) => account.address === address) ?? ALICE;
}

function groupId(signed: readonly SignedTransaction[]): Uint8Array {
  const writer = new MsgpackWriter().raw(Buffer.from('TG')).mapHeader(1).text('txlist').arrayHeader(signed.length);
  for (const { transaction: txn } of signed) writer.bytes(sha512_256(signingMessage(txn)));
  return sha512_256(writer.toBytes());
}

let notes = 0;

/** A payment like no other. */
export function uniquePayment(
  chain: Presented,
  fields: Partial<Transaction> = {},
  signer: Account = ALICE,
): Uint8Array {
  return signedBytes(chain, { note: Buffer.from(String(notes++)), ...fields }, signer);
}

export function addressOf({ address }: Account): Uint8Array {
  return parseAddress(address);
}

/** µAlgo of an account. */
export function balanceOf(node: DevelopmentNode, account: Account): bigint {
  return node.queries.account(addressOf(account)).account.microAlgos;
}
