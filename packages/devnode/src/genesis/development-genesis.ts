import { parseAddress } from '@avm402/algorand/address';
import { decodeBase64, encodeBase64 } from '@avm402/algorand/base64';
import { sha512 } from '@avm402/algorand/hash';
import { TESTNET } from '@avm402/algorand/networks';
import { sameBytes } from '../codec/bytes.ts';
import { LATEST_CONSENSUS_VERSION } from '../consensus/parameters.ts';
import { DEVELOPMENT_ACCOUNT_NAMES, developmentAccounts, type DevelopmentAccountName } from './development-accounts.ts';
import { parseGenesis, type Genesis } from './genesis.ts';

const REWARDS_POOL = '7777777777777777777777777777777777777777777777777774MSJUVU';
const FEE_SINK = 'A7NMWS3NT3IUDMLVO26ULGXGIIOUQ3ND2TXSER6EBGRZNOBOUIQXHIBGDE';
const POOL_BALANCE = 100_000;
const NOT_PARTICIPATING = 2;
const ONLINE = 1;

const ALGO = 1_000_000;
const DISPENSER_BALANCE = 4_000_000_000 * ALGO;
const ACCOUNT_BALANCE = 1_000_000 * ALGO;

/** Later than any round of a development chain, so the dispenser's keys never expire. */
const LAST_VOTE = 1_000_000_000_000;

/**
 * Chosen so that the base64 of the genesis hash begins with 32 letters or digits: these are the chain's id in CAIP-2,
 * and base64 and base64url then spell it alike.
 */
const COMMENT = 'avm402 development network 2';

/** The two parts of a genesis id, e.g. `dockernet-v1`. */
interface ChainName {
  readonly network: string;
  readonly id: string;
}

/** The development chain under TestNet's genesis id and hash, for clients that know only public networks. */
export function developmentGenesisAsTestNet(): Genesis {
  const genesis = parseGenesis(developmentGenesis({ network: 'testnet', id: 'v1.0' }));
  return { ...genesis, hash: decodeBase64(TESTNET.genesisHash) ?? genesis.hash };
}

/**
 * The genesis.json of the development chain. It never changes, so neither does its hash, which names the chain. It has
 * no timestamp: the first block takes the wall clock.
 */
export function developmentGenesis(name: ChainName = { network: 'dockernet', id: 'v1' }): string {
  const pools = [allocation(REWARDS_POOL, 'RewardsPool', pool), allocation(FEE_SINK, 'FeeSink', pool)];
  const genesis = {
    alloc: [...pools, ...DEVELOPMENT_ACCOUNT_NAMES.map(namedAllocation)],
    comment: COMMENT,
    devmode: true,
    fees: FEE_SINK,
    ...name,
    proto: LATEST_CONSENSUS_VERSION,
    rwd: REWARDS_POOL,
  };
  return JSON.stringify(genesis, undefined, 2);
}

const pool = { algo: POOL_BALANCE, onl: NOT_PARTICIPATING };

/** Whether the named accounts are on a chain with this genesis. */
export function hasNamedAccounts({ allocations }: Genesis): boolean {
  const dispenser = parseAddress(developmentAccounts().dispenser.address);
  return allocations.some(([address]) => sameBytes(address, dispenser));
}

function allocation(addr: string, comment: string, state: object): object {
  return { addr, comment, state };
}

function namedAllocation(name: DevelopmentAccountName): object {
  const { address } = developmentAccounts()[name];
  if (name === 'dispenser') return allocation(address, 'Wallet1', dispenserState());
  return allocation(address, name, { algo: ACCOUNT_BALANCE });
}

/** Online, with keys that nobody holds, because there is no consensus here to vote in. */
function dispenserState(): object {
  const key = sha512(Buffer.from('avm402 development network: no participation key'));
  const short = encodeBase64(key.subarray(0, 32));
  return {
    algo: DISPENSER_BALANCE,
    onl: ONLINE,
    sel: short,
    stprf: encodeBase64(key),
    vote: short,
    voteKD: 10_000,
    voteLst: LAST_VOTE,
  };
}
