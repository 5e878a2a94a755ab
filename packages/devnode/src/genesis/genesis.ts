import { sha512_256 } from '@avm402/algorand/hash';
import { encodeWithPrefix } from '../codec/document.ts';
import { addressOr } from '../codec/address-text.ts';
import { sameBytes } from '../codec/bytes.ts';
import { decodeText } from '../codec/decode.ts';
import { genesis as genesisSchema, type GenesisAccount } from '../codec/schema/genesis.ts';
import { consensusParameters, type ConsensusParameters } from '../consensus/parameters.ts';
import { DevnodeError } from '../errors.ts';

const HASH_PREFIX = Buffer.from('GE');

/** The beginning of a chain, from algod's genesis.json. */
export interface Genesis {
  /** The original text. */
  readonly json: string;
  /** Network and id, e.g. `dockernet-v1`. */
  readonly id: string;
  readonly hash: Uint8Array;
  readonly parameters: ConsensusParameters;
  /** Seconds since 1970; if 0, the first block takes the wall clock. */
  readonly timestamp: bigint;
  readonly devMode: boolean;
  readonly feeSink: Uint8Array;
  readonly rewardsPool: Uint8Array;
  readonly allocations: readonly (readonly [address: Uint8Array, account: GenesisAccount])[];
}

/**
 * Reads a genesis.json.
 * @throws DevnodeError `invalid_genesis`, which says what is wrong with it
 */
export function parseGenesis(json: string): Genesis {
  const record = decodeText(genesisSchema, json, (reason, cause) => {
    return new DevnodeError('invalid_genesis', `genesis is not a genesis.json of algod: ${reason}`, { cause });
  });
  const parameters = consensusParameters(record.protocol);
  const allocations = (record.allocations ?? []).map(({ address, state }): Genesis['allocations'][number] => [
    parseAddress(address, 'addr'),
    state,
  ]);
  const rewardsPool = parseAddress(record.rewardsPool, 'rwd');
  checkNoRewards(allocations, rewardsPool, parameters);
  return {
    json,
    id: `${record.network}-${record.id}`,
    hash: sha512_256(encodeWithPrefix(HASH_PREFIX, genesisSchema, record)),
    parameters,
    timestamp: record.timestamp,
    devMode: record.devMode,
    feeSink: parseAddress(record.feeSink, 'fees'),
    rewardsPool,
    allocations,
  };
}

// Differs from algod: no-rewards
/** Refuses a rewards pool large enough to start rewards, which no network pays any more. */
function checkNoRewards(
  allocations: Genesis['allocations'],
  rewardsPool: Uint8Array,
  { minBalance, rewardsRecalculationInterval }: ConsensusParameters,
): void {
  const pool = allocations.find(([address]) => sameBytes(address, rewardsPool))?.[1].microAlgos ?? 0n;
  const limit = minBalance + rewardsRecalculationInterval;
  if (pool < limit) return;
  throw new DevnodeError(
    'invalid_genesis',
    `genesis: with ${pool} µAlgo in the rewards pool accounts would earn rewards, which this node does not pay; give it ${minBalance}`,
  );
}

function parseAddress(text: string, key: string): Uint8Array {
  return addressOr(text, (reason) => new DevnodeError('invalid_genesis', `genesis, ${key}: ${reason}`));
}
