import { afterAll, beforeAll } from 'vitest';
import { type Account, accountFromSeed, parseAccount } from '@avm402/algorand/account';
import { formatAddress, parseAddress } from '@avm402/algorand/address';
import { type AlgodClient, createAlgodClient } from '@avm402/algorand/algod';
import { createSigner } from '@avm402/algorand/ed25519';
import type { HttpExchange } from '@avm402/algorand/http-exchange';
import { isAlgorandError } from '@avm402/algorand/errors';
import { assignGroup } from '@avm402/algorand/group';
import { sha512_256 } from '@avm402/algorand/hash';
import { encodeMsgpack } from '@avm402/algorand/msgpack';
import { encodeSignedTransaction } from '@avm402/algorand/signed-transaction';
import type { Transaction } from '@avm402/algorand/transaction';
import { developmentAccounts, type Devnode, startDevnode } from '@avm402/devnode';
import type { ChannelConfig } from '../../src/batch-settlement/channel-config.ts';
import type { GroupTerms } from '../../src/signing/pooled-group.ts';
import { type Voucher } from '../../src/batch-settlement/voucher.ts';
import { uint64Bytes } from '../../src/signing/program-template.ts';

export const USDC = 10_458_941n;
export const FEE = 1000n;
export const sessionKey = createSigner(new Uint8Array(32).fill(4));

const named = developmentAccounts();
export const payer = parseAccount(named.payer.privateKey);
export const seller = parseAccount(named.merchant.privateKey);
export const closer = parseAccount(named.facilitator.privateKey);
export const stranger = parseAccount(named.payer2.privateKey);
const accounts = new Map<string, Account>(
  [payer, seller, closer, stranger].map((account) => [account.address, account]),
);

/** A program and the account that it rules. */
export interface Ruled {
  readonly program: Uint8Array;
  readonly address: string;
}

export function ruledBy(program: Uint8Array): Ruled {
  const bytes = Uint8Array.from([...new TextEncoder().encode('Program'), ...program]);
  return { program, address: formatAddress(sha512_256(bytes)) };
}

export interface ChainStage {
  readonly node: Devnode;
  readonly algod: AlgodClient;
  terms(): Promise<GroupTerms>;
  /** A configuration that no test had before. */
  config(change?: Partial<ChannelConfig>): Promise<ChannelConfig>;
  /** What algod says of a group whose members are signed anew; undefined: it takes it. Nothing is sent. */
  refusal(group: readonly Transaction[], by: Signing): Promise<string | undefined>;
  /** Sends it; undefined: it is confirmed. */
  send(group: readonly Transaction[], by: Signing): Promise<string | undefined>;
  usdcOf(address: string): Promise<bigint>;
}

/** Who signs what leaves the program's account: the program, with this voucher. Others sign with their keys. */
export interface Signing {
  readonly ruled: Ruled;
  readonly voucher?: Pick<Voucher, 'maxClaimableAmount' | 'signature'> | undefined;
}

/** A node for the tests of a file. */
export function useChain(options?: NodeOptions): ChainStage {
  let node: Devnode;
  let algod: AlgodClient;
  beforeAll(async () => {
    ({ node, algod } = await startNode(options));
  });
  afterAll(() => node.stop());
  return chainOf({
    get node() {
      return node;
    },
    get algod() {
      return algod;
    },
  });
}

export interface NodeOptions {
  /** How the node is called. Default: by `fetch`. */
  readonly exchange?: HttpExchange;
  /** Whether it holds no block back for payments that are about to expire. */
  readonly strict?: boolean;
}

/** A node on which the named accounts have money. */
export async function startNode({ exchange, strict = false }: NodeOptions = {}): Promise<
  Pick<ChainStage, 'node' | 'algod'>
> {
  const node = await startDevnode({ port: 0, strict });
  await node.deal(stranger.address, USDC, 1_000_000n);
  return { node, algod: createAlgodClient({ url: node.url, token: node.token, ...(exchange && { exchange }) }) };
}

export function chainOf(nodes: Pick<ChainStage, 'node' | 'algod'>): ChainStage {
  let salt = 0;
  const terms = async (): Promise<GroupTerms> => {
    const { lastRound, genesisId } = await nodes.algod.params();
    return { firstValid: lastRound, lastValid: lastRound + 1000n, genesisId, fee: FEE };
  };
  return {
    get node() {
      return nodes.node;
    },
    get algod() {
      return nodes.algod;
    },
    terms,
    async config(change = {}) {
      const { lastRound, genesisHash } = await nodes.algod.params();
      return {
        payer: payer.address,
        payerAuthorizer: formatAddress(sessionKey.publicKey),
        receiver: seller.address,
        receiverAuthorizer: closer.address,
        token: USDC,
        expiry: lastRound + 5000n,
        funder: payer.address,
        genesisHash,
        salt: Uint8Array.from([...uint64Bytes(BigInt(salt++)), ...new Uint8Array(8)]),
        ...change,
      };
    },
    async refusal(group, by) {
      const { wouldSucceed, failureMessage } = await nodes.algod.simulate({ transactions: signed(group, by) });
      return wouldSucceed ? undefined : (failureMessage ?? 'without a reason');
    },
    async send(group, by) {
      try {
        await nodes.algod.sendRawTransaction(Buffer.concat(signed(group, by)));
        return undefined;
      } catch (error) {
        if (isAlgorandError(error) && error.reason !== undefined) return error.reason;
        throw error;
      }
    },
    usdcOf: async (address) => (await nodes.algod.accountAsset(address, USDC))?.amount ?? 0n,
  };
}

function signed(group: readonly Transaction[], { ruled, voucher }: Signing): Uint8Array[] {
  const arg = voucher && [voucher.signature, uint64Bytes(voucher.maxClaimableAmount)];
  const logicSignature = encodeMsgpack({ ...(arg && { arg }), l: ruled.program });
  return regrouped(group).map((txn) => {
    if (txn.sender === ruled.address) return encodeSignedTransaction({ txn, logicSignature });
    const account = accounts.get(txn.sender);
    if (account === undefined) throw new Error(`nobody signs for ${txn.sender}`);
    return account.signTransaction(txn);
  });
}

/** The same members under a group id of their own; a member alone has none. */
export function regrouped(group: readonly Transaction[]): Transaction[] {
  const members = group.map((txn): Transaction => {
    const { group: _group, ...member } = txn;
    return member;
  });
  return members.length === 1 ? members : assignGroup(members);
}

/** Signs a voucher for any program. */
export function voucherFor({ address }: Ruled, maxClaimableAmount: bigint, signer = sessionKey) {
  const bytes = [...new TextEncoder().encode('ProgData'), ...parseAddress(address), ...uint64Bytes(maxClaimableAmount)];
  return { maxClaimableAmount, signature: signer.sign(Uint8Array.from(bytes)) };
}

/** An account whose key nobody has. */
export const nobody = accountFromSeed(new Uint8Array(32).fill(99)).address;

/** A worthless asset of the stranger's. */
export async function createJunk(chain: ChainStage): Promise<bigint> {
  const { fee, firstValid, lastValid } = await chain.terms();
  const { genesisHash } = await chain.algod.params();
  const parameters = { total: 1000n, unitName: 'JUNK', manager: stranger.address, clawback: stranger.address };
  const header = { firstValid, lastValid, genesisHash, fee, sender: stranger.address };
  const creation = stranger.signTransaction({ ...header, type: 'acfg', assetId: 0n, parameters });
  await chain.algod.sendRawTransaction(creation);
  const response = await fetch(`${chain.node.url}/v2/accounts/${stranger.address}`, {
    headers: { 'X-Algo-API-Token': chain.node.token },
  });
  const { 'created-assets': created } = (await response.json()) as { 'created-assets': { index: number }[] };
  return BigInt(Math.max(...created.map(({ index }) => index)));
}
