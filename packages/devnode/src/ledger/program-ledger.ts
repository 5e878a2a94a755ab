import { changeTotals } from './apply/local-state.ts';
import {
  applicationAddress,
  type AccountState,
  type ApplicationLedger,
  type ApplicationState,
  type AssetState,
  type BoxAccess,
  type Failure,
  type GroupPrograms,
  type HoldingState,
  type VoterState,
} from '@avm402/teal/application';
import { isAllZero } from '../codec/bytes.ts';
import { encode } from '../codec/document.ts';
import type { ApplicationParams, StateValue } from '../codec/schema/application.ts';
import { transaction as transactionSchema, type Transaction } from '../codec/schema/transaction.ts';
import { formProblem } from '../form/well-formed.ts';
import { addressKey, addressOfKey, type AddressKey } from '../transaction/address-key.ts';
import type { Account } from './account.ts';
import { transactionOf } from './effects.ts';
import type { GroupContext } from './context.ts';
import { transactionUsage } from './fee.ts';
import { withValue } from './key-values.ts';
import { minBalanceOf } from './min-balance.ts';
import { StateDelta } from './state/state.ts';

type Fields = Parameters<ApplicationLedger['encode']>[0];

/** The ledger as the programs of a group see and change it. */
export class ProgramLedger implements ApplicationLedger {
  /** The changes of the group, or those laid over them while a program runs whose changes may be dropped. */
  state: StateDelta;
  readonly #context: GroupContext;
  readonly #perform: ApplicationLedger['perform'];
  #voters: ReadonlyMap<AddressKey, Account> | undefined;

  constructor(state: StateDelta, context: GroupContext, perform: ApplicationLedger['perform']) {
    this.state = state;
    this.#context = context;
    this.#perform = perform;
  }

  get round(): bigint {
    return this.#context.round;
  }

  get latestTimestamp(): bigint {
    const { environment } = this.#context.chain;
    return environment.blockHeader(this.round - 1n)?.timestamp ?? 0n;
  }

  /** Runs a step on changes that are kept only if it gives true. */
  attempt(step: () => boolean): void {
    const before = this.state;
    this.state = new StateDelta(before);
    try {
      if (step()) before.merge(this.state);
    } finally {
      this.state = before;
    }
  }

  account(address: Uint8Array): AccountState {
    const account = this.state.account(addressKey(address));
    const { applications } = account;
    return {
      balance: account.microAlgos,
      minBalance: minBalanceOf(account, this.#context.chain.parameters),
      authAddress: account.authAddress,
      totalUints: BigInt(applications.uints),
      totalByteSlices: BigInt(applications.byteSlices),
      totalExtraPages: BigInt(applications.extraPages),
      totalAppsCreated: BigInt(applications.created),
      totalAppsOptedIn: BigInt(applications.optedIn),
      totalAssetsCreated: BigInt(account.totalCreatedAssets),
      totalAssets: BigInt(account.totalAssets),
      totalBoxes: BigInt(applications.boxes),
      totalBoxBytes: BigInt(applications.boxBytes),
      incentiveEligible: account.incentiveEligible,
      lastProposed: account.lastProposed,
      lastHeartbeat: account.lastHeartbeat,
    };
  }

  voter(address: Uint8Array): VoterState {
    this.#voters ??= this.#context.chain.online.votersIn(this.round);
    const { microAlgos = 0n, incentiveEligible = false } = this.#voters.get(addressKey(address)) ?? {};
    return { balance: microAlgos, incentiveEligible };
  }

  onlineStake(): bigint {
    return this.#context.chain.online.stakeIn(this.round);
  }

  holding(address: Uint8Array, assetId: bigint): HoldingState | undefined {
    return this.state.holding(addressKey(address), assetId);
  }

  asset(assetId: bigint): AssetState | undefined {
    const asset = this.state.asset(assetId);
    return asset && { creator: addressOfKey(asset.creator), params: asset.params };
  }

  application(applicationId: bigint): ApplicationState | undefined {
    const application = this.state.application(applicationId);
    if (application === undefined) return undefined;
    const { extraPages, sizeSponsor, ...params } = application.params;
    return {
      ...params,
      creator: addressOfKey(application.creator),
      extraProgramPages: extraPages,
      sizeSponsor: isAllZero(sizeSponsor) ? undefined : sizeSponsor,
    };
  }

  setBoxAccess(applicationId: bigint, access: BoxAccess): void {
    this.#changeParams(applicationId, access);
  }

  global(applicationId: bigint, key: Uint8Array): StateValue | undefined {
    return this.state.application(applicationId)?.params.globals.get(addressKey(key));
  }

  setGlobal(applicationId: bigint, key: Uint8Array, value: StateValue | undefined): void {
    const params = this.state.application(applicationId)?.params;
    if (params === undefined) return;
    const globals = withValue(params.globals, params.globalSchema, { key: addressKey(key), value });
    this.#changeParams(applicationId, { globals });
  }

  isOptedIn(address: Uint8Array, applicationId: bigint): boolean {
    return this.state.localState(addressKey(address), applicationId) !== undefined;
  }

  local(address: Uint8Array, applicationId: bigint, key: Uint8Array): StateValue | undefined {
    return this.state.localState(addressKey(address), applicationId)?.keys.get(addressKey(key));
  }

  setLocal(address: Uint8Array, applicationId: bigint, key: Uint8Array, value: StateValue | undefined): void {
    const owner = addressKey(address);
    const local = this.state.localState(owner, applicationId);
    if (local === undefined) return;
    const keys = withValue(local.keys, local.schema, { key: addressKey(key), value });
    this.state.setLocalState(owner, applicationId, { ...local, keys });
  }

  box(applicationId: bigint, name: Uint8Array): Uint8Array | undefined {
    return this.state.box(applicationId, addressKey(name));
  }

  setBox(applicationId: bigint, name: Uint8Array, content: Uint8Array | undefined): void {
    const before = this.box(applicationId, name);
    this.state.setBox(applicationId, addressKey(name), content);
    if (before?.length === content?.length) return;
    const weight = (box: Uint8Array | undefined): number => (box === undefined ? 0 : name.length + box.length);
    changeTotals(this.state, addressKey(applicationAddress(applicationId)), {
      boxes: Number(content !== undefined) - Number(before !== undefined),
      boxBytes: weight(content) - weight(before),
    });
  }

  encode(fields: Fields): Uint8Array {
    return encode<Transaction>(transactionSchema, transactionOf(fields));
  }

  formProblem(fields: Fields): string | undefined {
    const { parameters, feeSink, rewardsPool } = this.#context.chain;
    const context = { parameters, feeSink: addressOfKey(feeSink), rewardsPool: addressOfKey(rewardsPool) };
    return formProblem(transactionOf(fields), context);
  }

  usage(fields: Fields): bigint {
    return transactionUsage(transactionOf(fields), this.#context.chain.parameters);
  }

  perform(group: GroupPrograms, index: number): Failure | undefined {
    return this.#perform(group, index);
  }

  #changeParams(applicationId: bigint, change: Partial<ApplicationParams>): void {
    const application = this.state.application(applicationId);
    if (application === undefined) return;
    this.state.setApplication(applicationId, { ...application, params: { ...application.params, ...change } });
  }
}
