import { isAllZero } from '../codec/bytes.ts';
import type { Transaction } from '../codec/schema/transaction.ts';
import type { ApplicationLimits } from '../consensus/parameters.ts';

type Resource = NonNullable<Transaction['access']>[number];
type Kind = 'address' | 'asset' | 'application' | 'holding' | 'locals' | 'box';

const NOUNS = { address: 'an Address', asset: 'an Asset', application: 'an App' } as const;

/** The problem with the access list of a call, if any (go-algorand data/transactions/application.go). */
export function accessProblem(call: Transaction, limits: ApplicationLimits): string | undefined {
  const { access = [] } = call;
  if (access.length > limits.maxAccess) return `tx.Access too long, max number of references is ${limits.maxAccess}`;
  const others = {
    Accounts: call.accounts,
    ForeignApps: call.foreignApps,
    ForeignAssets: call.foreignAssets,
    Boxes: call.boxes,
  };
  const used = Object.entries(others).find(([, references]) => references !== undefined && references.length > 0);
  if (used !== undefined) return `tx.${used[0]} can't be used when tx.Access is used`;
  for (const resource of access) {
    const problem = resourceProblem(resource, call, limits);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function resourceProblem(resource: Resource, call: Transaction, limits: ApplicationLimits): string | undefined {
  const { access = [] } = call;
  const kinds = kindsOf(resource);
  const problem =
    (kinds.has('holding') ? holdingProblem(resource, access) : undefined) ??
    (kinds.has('locals') ? localsProblem(resource, call, limits) : undefined) ??
    (kinds.has('box') ? boxProblem(resource, access, limits) : undefined);
  return problem ?? (kinds.size > 1 ? 'tx.Access element has fields from multiple types' : undefined);
}

/** An element names one thing; an empty one names none. */
function kindsOf({ address, asset, application, holding, locals, box }: Resource): ReadonlySet<Kind> {
  const isNamed: Readonly<Record<Kind, boolean>> = {
    address: !isAllZero(address),
    asset: asset !== 0n,
    application: application !== 0n,
    holding: holding.address !== 0n || holding.asset !== 0n,
    locals: locals.address !== 0n || locals.application !== 0n,
    box: box.index !== 0n || box.name !== undefined,
  };
  return new Set(Object.entries(isNamed).flatMap(([kind, named]) => (named ? [kind as Kind] : [])));
}

type Access = readonly Resource[];

/** The problem with a reference to another element of the list, if any. References count from 1. */
function referenceProblem(access: Access, noun: string, kind: keyof typeof NOUNS, index: bigint): string | undefined {
  const [, what = ''] = NOUNS[kind].split(' ');
  if (index === 0n || index > BigInt(access.length)) return `${noun} ${what} reference ${index} outside tx.Access`;
  const resource = access[Number(index) - 1];
  if (resource !== undefined && kindsOf(resource).has(kind)) return undefined;
  return `${noun} ${what} reference ${index} is not ${NOUNS[kind]}`;
}

function holdingProblem({ holding }: Resource, access: Access): string | undefined {
  const { address, asset } = holding;
  return addressProblem(access, 'holding', address) ?? referenceProblem(access, 'holding', 'asset', asset);
}

function localsProblem(
  { locals }: Resource,
  { access = [], applicationId }: Transaction,
  { allowsOwnLocals }: ApplicationLimits,
): string | undefined {
  const { address, application } = locals;
  if (application === 0n && !allowsOwnLocals) return '0 App in LocalsRef is not supported';
  if (application === 0n && applicationId === 0n) {
    return '0 App in LocalsRef during app create is not allowed or necessary';
  }
  const problem = addressProblem(access, 'locals', address);
  return problem ?? (application === 0n ? undefined : referenceProblem(access, 'locals', 'application', application));
}

/** The problem with a reference to an address, if any; 0 is the sender. */
function addressProblem(access: Access, noun: string, index: bigint): string | undefined {
  return index === 0n ? undefined : referenceProblem(access, noun, 'address', index);
}

function boxProblem({ box }: Resource, access: Access, { maxBoxNameBytes }: ApplicationLimits): string | undefined {
  const { index, name } = box;
  if (name !== undefined && name.length > maxBoxNameBytes)
    return `tx.Access box Name too long, max len ${maxBoxNameBytes} bytes`;
  if (index === 0n) return undefined;
  const resource = access[Number(index) - 1];
  if (resource === undefined) return `box Index ${index} outside tx.Access`;
  return kindsOf(resource).has('application') ? undefined : `box Index reference ${index} is not an App`;
}
