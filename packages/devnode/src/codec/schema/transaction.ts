import { address, bytes, bytes32, bytes64, fixedBytes, listedBytes } from '../bytes.ts';
import { boolean, uint32, uint64, uint8 } from '../integer.ts';
import type { ValueOf } from '../kind.ts';
import { list } from '../list.ts';
import { optional } from '../optional.ts';
import { field, Struct } from '../struct.ts';
import { byteString, textBytes } from '../text.ts';
import { integerMap } from '../map.ts';

/**
 * Parameters of an asset (go-algorand data/basics, AssetParams). Zero addresses and empty texts mean "not set". Texts
 * are kept as bytes, because they need not be UTF-8.
 */
export const assetParams = new Struct({
  total: field('t', uint64),
  decimals: field('dc', uint32),
  defaultFrozen: field('df', boolean),
  unitName: field('un', textBytes),
  name: field('an', textBytes),
  url: field('au', textBytes),
  metadataHash: field('am', bytes32),
  manager: field('m', address),
  reserve: field('r', address),
  freeze: field('f', address),
  clawback: field('c', address),
});

export type AssetParams = ValueOf<typeof assetParams>;

const header = {
  sender: field('snd', address),
  fee: field('fee', uint64),
  firstValid: field('fv', uint64),
  lastValid: field('lv', uint64),
  note: field('note', bytes),
  genesisId: field('gen', byteString),
  genesisHash: field('gh', bytes32),
  group: field('grp', bytes32),
  lease: field('lx', bytes32),
  rekeyTo: field('rekey', address),
};

const keyRegistration = {
  voteKey: field('votekey', bytes32),
  selectionKey: field('selkey', bytes32),
  stateProofKey: field('sprfkey', bytes64),
  voteFirstValid: field('votefst', uint64),
  voteLastValid: field('votelst', uint64),
  voteKeyDilution: field('votekd', uint64),
  nonparticipation: field('nonpart', boolean),
};

const payment = {
  receiver: field('rcv', address),
  amount: field('amt', uint64),
  closeRemainderTo: field('close', address),
};

const assetConfiguration = {
  configAsset: field('caid', uint64),
  assetParams: field('apar', assetParams),
};

const assetTransfer = {
  transferAsset: field('xaid', uint64),
  assetAmount: field('aamt', uint64),
  assetSender: field('asnd', address),
  assetReceiver: field('arcv', address),
  assetCloseTo: field('aclose', address),
};

const assetFreeze = {
  freezeAccount: field('fadd', address),
  freezeAsset: field('faid', uint64),
  assetFrozen: field('afrz', boolean),
};

/** A name that is written though it is empty counts as one, which an entry for the budget alone has not. */
const boxReference = new Struct({ index: field('i', uint64), name: field('n', optional(bytes)) });

/** One entry of an access list, which names what an application call may use. */
const resourceReference = new Struct({
  address: field('d', address),
  asset: field('s', uint64),
  application: field('p', uint64),
  holding: field('h', new Struct({ address: field('d', uint64), asset: field('s', uint64) })),
  locals: field('l', new Struct({ address: field('d', uint64), application: field('p', uint64) })),
  box: field('b', boxReference),
});

export const stateSchema = new Struct({ uints: field('nui', uint64), byteSlices: field('nbs', uint64) });

const applicationCall = {
  applicationId: field('apid', uint64),
  onCompletion: field('apan', uint64),
  applicationArgs: field('apaa', list(listedBytes)),
  accounts: field('apat', list(address, '[]basics.Address')),
  foreignAssets: field('apas', list(uint64, '[]basics.AssetIndex')),
  foreignApps: field('apfa', list(uint64, '[]basics.AppIndex')),
  access: field('al', list(resourceReference, '[]transactions.ResourceRef')),
  boxes: field('apbx', list(boxReference, '[]transactions.BoxRef')),
  localStateSchema: field('apls', stateSchema),
  globalStateSchema: field('apgs', stateSchema),
  approvalProgram: field('apap', bytes),
  clearStateProgram: field('apsu', bytes),
  extraProgramPages: field('apep', uint32),
  rejectVersion: field('aprv', uint64),
};

const hashFactory = new Struct({ hashType: field('t', uint64) });
const merkleProof = new Struct({
  path: field('pth', list(bytes)),
  hashFactory: field('hsh', hashFactory),
  treeDepth: field('td', uint8),
});
const stateProofReveal = new Struct({
  slot: field(
    's',
    new Struct({
      signature: field(
        's',
        new Struct({
          signature: field('sig', bytes),
          index: field('idx', uint64),
          proof: field('prf', merkleProof),
          verifyingKey: field('vkey', new Struct({ key: field('k', fixedBytes(1793)) })),
        }),
      ),
      weightBefore: field('l', uint64),
    }),
  ),
  participant: field(
    'p',
    new Struct({
      key: field('p', new Struct({ commitment: field('cmt', bytes64), lifetime: field('lf', uint64) })),
      weight: field('w', uint64),
    }),
  ),
});

const stateProof = {
  stateProofType: field('sptype', uint64),
  stateProof: field(
    'sp',
    new Struct({
      signatureCommitment: field('c', bytes),
      signedWeight: field('w', uint64),
      signatureProofs: field('S', merkleProof),
      participantProofs: field('P', merkleProof),
      saltVersion: field('v', uint8),
      reveals: field('r', integerMap(stateProofReveal)),
      positions: field('pr', list(uint64)),
    }),
  ),
  stateProofMessage: field(
    'spmsg',
    new Struct({
      blockHeadersCommitment: field('b', bytes),
      votersCommitment: field('v', bytes),
      lnProvenWeight: field('P', uint64),
      firstAttestedRound: field('f', uint64),
      lastAttestedRound: field('l', uint64),
    }),
  ),
};

export const heartbeatFields = new Struct({
  address: field('a', address),
  proof: field(
    'prf',
    new Struct({
      signature: field('s', bytes64),
      key: field('p', bytes32),
      key2: field('p2', bytes32),
      key1Signature: field('p1s', bytes64),
      key2Signature: field('p2s', bytes64),
    }),
  ),
  seed: field('sd', bytes32),
  voteId: field('vid', bytes32),
  keyDilution: field('kd', uint64),
  challenge: field('c', boolean),
});

const heartbeat = { heartbeat: field('hb', optional(heartbeatFields)) };

/** The fields that only transactions of one type may set. */
export const fieldsOfType = {
  pay: payment,
  keyreg: keyRegistration,
  acfg: assetConfiguration,
  axfer: assetTransfer,
  afrz: assetFreeze,
  appl: applicationCall,
  stpf: stateProof,
  hb: heartbeat,
} as const;

export type TransactionType = keyof typeof fieldsOfType;

export function isTransactionType(type: string): type is TransactionType {
  return Object.hasOwn(fieldsOfType, type);
}

/** A transaction of any type (go-algorand data/transactions, Transaction): all fields, in algod's order. */
export const transaction = new Struct({
  type: field('type', byteString),
  ...header,
  ...keyRegistration,
  ...payment,
  ...assetConfiguration,
  ...assetTransfer,
  ...assetFreeze,
  ...applicationCall,
  ...stateProof,
  ...heartbeat,
});

export type Transaction = ValueOf<typeof transaction>;
