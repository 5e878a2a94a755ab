import type { AlgodConfig } from '../algod-config.ts';
import { formatAddress } from '@avm402/algorand/address';
import { encodeBase64 } from '@avm402/algorand/base64';
import { encode } from '../../codec/document.ts';
import { accountRecord, bareAccount } from '../../codec/schema/account.ts';
import { DevnodeError, refused } from '../../errors.ts';
import type { Participation } from '../../ledger/account.ts';
import type { Queries } from '../../queries/queries.ts';
import { type AccountState, bareAccountFields, recordOfAccount } from '../../queries/account-record.ts';
import { jsonAnswer, msgpackAnswer } from '../answer.ts';
import { pathAddress, queryList } from '../parameter.ts';
import type { Json } from '../plain-json.ts';
import { route, type Route } from '../route.ts';
import { applicationParamsJson, localStateJson } from './application-json.ts';
import { assetParamsJson, holdingJson } from './asset-json.ts';
import { formatParameter, parseFormat } from './format.ts';

/**
 * Accounts. An unknown account is all zeros, never a 404. An account with more assets and applications than
 * `MaxAPIResourcesPerAccount` is answered only without them; 0: any number.
 */
export function accountRoutes(queries: Queries, config: Pick<AlgodConfig, 'MaxAPIResourcesPerAccount'>): Route[] {
  return [
    route({
      path: '/v2/accounts/:address',
      summary: 'An account with its assets and applications.',
      parameters: {
        address: pathAddress(),
        exclude: queryList('`all`, `none`, or any of `created-assets-params`, `created-apps-params`.'),
        format: formatParameter,
      },
      handle(parameters) {
        const format = parseFormat(parameters.format);
        const exclude = parseExclude(parameters.exclude);
        const state = queries.account(parameters.address);
        if (!exclude.everything) refuseTooMany(state, config.MaxAPIResourcesPerAccount);
        if (format === 'json') return jsonAnswer(accountJson(parameters.address, state, exclude));
        if (exclude.everything) return msgpackAnswer(encode(bareAccount, bareAccountFields(state.account)));
        return msgpackAnswer(encode(accountRecord, recordOfAccount(state)));
      },
    }),
  ];
}

interface Exclude {
  readonly everything: boolean;
  readonly assetParams: boolean;
  readonly applicationParams: boolean;
}

const PARTS: ReadonlySet<string> = new Set(['created-assets-params', 'created-apps-params']);

function parseExclude(given: readonly string[] | undefined): Exclude {
  const values = (given ?? []).map((value) => value.trim());
  if (values.length <= 1) {
    const [only = ''] = values;
    if (only === 'all') return { everything: true, assetParams: true, applicationParams: true };
    if (only === 'none' || only === '') return { everything: false, assetParams: false, applicationParams: false };
  }
  if (!values.every((value) => PARTS.has(value))) throw refused('failed to parse exclude');
  return {
    everything: false,
    assetParams: values.includes('created-assets-params'),
    applicationParams: values.includes('created-apps-params'),
  };
}

function refuseTooMany({ account }: AccountState, maxResources: number): void {
  const { totalAssets, totalCreatedAssets, applications } = account;
  if (totalAssets + totalCreatedAssets + applications.created + applications.optedIn <= (maxResources || Infinity))
    return;
  throw new DevnodeError('refused', 'Result limit exceeded', {
    data: {
      'max-results': maxResources,
      'total-apps-opted-in': applications.optedIn,
      'total-assets-opted-in': totalAssets,
      'total-created-apps': applications.created,
      'total-created-assets': totalCreatedAssets,
    },
  });
}

function accountJson(address: Uint8Array, state: AccountState, exclude: Exclude): Json {
  const { holdings, created, localStates, applications } = state;
  if (exclude.everything) return accountFields(address, state, {});
  return accountFields(address, state, {
    'apps-local-state': localStates.map(([id, local]) => localStateJson(id, local)),
    assets: holdings.map(([id, holding]) => holdingJson(id, holding)),
    'created-apps': applications.map(([id, params]) => ({
      id,
      params: exclude.applicationParams ? undefined : applicationParamsJson(address, params),
    })),
    'created-assets': created.map(([index, params]) => ({
      index,
      params: exclude.assetParams ? undefined : assetParamsJson(address, params),
    })),
  });
}

/** The parts that can be left out of an account. */
export type AccountLists = Partial<
  Record<'apps-local-state' | 'assets' | 'created-apps' | 'created-assets', readonly Json[]>
>;

/** An account with some of its lists, in algod's order. */
export function accountFields(
  address: Uint8Array,
  { account, minBalance, round }: AccountState,
  lists: AccountLists,
): Readonly<Record<string, Json | undefined>> {
  const { applications } = account;
  return {
    address: formatAddress(address),
    amount: account.microAlgos,
    'amount-without-pending-rewards': account.microAlgos,
    'apps-local-state': lists['apps-local-state'],
    'apps-total-extra-pages': applications.extraPages || undefined,
    'apps-total-schema': { 'num-byte-slice': applications.byteSlices, 'num-uint': applications.uints },
    assets: lists.assets,
    'auth-addr': account.authAddress && formatAddress(account.authAddress),
    'created-apps': lists['created-apps'],
    'created-assets': lists['created-assets'],
    'incentive-eligible': account.incentiveEligible || undefined,
    'last-heartbeat': account.lastHeartbeat || undefined,
    'last-proposed': account.lastProposed || undefined,
    'min-balance': minBalance,
    participation: account.participation && participationJson(account.participation),
    'pending-rewards': 0,
    'reward-base': 0,
    rewards: 0,
    round,
    status: account.status,
    'total-apps-opted-in': applications.optedIn,
    'total-assets-opted-in': account.totalAssets,
    'total-box-bytes': applications.boxBytes || undefined,
    'total-boxes': applications.boxes || undefined,
    'total-created-apps': applications.created,
    'total-created-assets': account.totalCreatedAssets,
  };
}

/** The keys with which an account votes. */
function participationJson(keys: Participation): Json {
  return {
    'selection-participation-key': encodeBase64(keys.selectionKey),
    'state-proof-key': encodeBase64(keys.stateProofKey),
    'vote-first-valid': keys.voteFirstValid,
    'vote-key-dilution': keys.voteKeyDilution,
    'vote-last-valid': keys.voteLastValid,
    'vote-participation-key': encodeBase64(keys.voteKey),
  };
}
