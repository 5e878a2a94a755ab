import { refused } from '../errors.ts';
import type { Signer } from '@avm402/algorand/ed25519';
import { sameBytes } from '../codec/bytes.ts';
import type { ValueOf } from '../codec/kind.ts';
import { encode } from '../codec/document.ts';
import { multisig as multisigSchema, type Multisig } from '../codec/schema/signed-transaction.ts';
import { signingMessage } from '../transaction/member.ts';
import { MULTISIG_PROGRAM_PREFIX } from '../verify/logic-signature.ts';
import { multisigAddress, multisigFormProblem } from '../verify/multisig.ts';
import { decodeTransaction, parseAddress, programMessage } from './sign.ts';
import type { request } from './messages.ts';
import type { Wallet } from './wallet.ts';

/** A request for a signature; a zero `partial` stands for the wallet's own record of the account. */
type Signing = Pick<ValueOf<typeof request.signMultisig>, 'publicKey' | 'partial' | 'password'>;

/** The address of a multisig account. @throws DevnodeError `refused` */
export function addressOfMultisig(multisig: Multisig): Uint8Array {
  const problem = multisigFormProblem(multisig);
  if (problem !== undefined) throw refused(problem);
  return multisigAddress(multisig);
}

/** Adds one key's signature of a transaction to a multisig, which may have the signer's address; gives its msgpack. */
export function signMultisigTransaction(wallet: Wallet, asked: ValueOf<typeof request.signMultisig>): Uint8Array {
  const transaction = decodeTransaction(asked.transaction);
  const owners: Signed['owners'] = [transaction.sender, asked.signer];
  return addSignature(wallet, asked, { owners, message: signingMessage(transaction) });
}

/** Adds one key's signature of a program to a multisig; a legacy one signs what a single key would. Gives its msgpack. */
export function signMultisigProgram(wallet: Wallet, asked: ValueOf<typeof request.signMultisigProgram>): Uint8Array {
  const { program, legacy } = asked;
  const address = parseAddress(asked.address);
  const message = legacy ? programMessage(program) : Buffer.concat([MULTISIG_PROGRAM_PREFIX, address, program]);
  return addSignature(wallet, asked, { owners: [address], message });
}

interface Signed {
  /** Addresses that the multisig may have; the wallet's own record is looked up by the first. */
  readonly owners: readonly [Uint8Array, ...Uint8Array[]];
  readonly message: Uint8Array;
}

function addSignature(
  wallet: Wallet,
  { publicKey, partial, password }: Signing,
  { owners, message }: Signed,
): Uint8Array {
  wallet.checkPassword(password);
  const { multisig, signer } = multisigSchema.isZero(partial)
    ? ownAccount(wallet, owners[0], publicKey)
    : givenMultisig(wallet, partial, { owners, publicKey });
  const signature = signer.sign(message);
  const subsignatures = (multisig.subsignatures ?? []).map((each) =>
    sameBytes(each.publicKey, publicKey) ? { ...each, signature } : each,
  );
  return encode(multisigSchema, { ...multisig, subsignatures });
}

interface Signable {
  readonly multisig: Multisig;
  readonly signer: Signer;
}

function ownAccount(wallet: Wallet, address: Uint8Array, publicKey: Uint8Array): Signable {
  const multisig = wallet.multisig(address);
  const signer = wallet.signer(publicKey);
  if (isPartOf(multisig, publicKey)) return { multisig, signer };
  throw refused('Key does not exist');
}

function givenMultisig(
  wallet: Wallet,
  multisig: Multisig,
  { owners, publicKey }: Pick<Signed, 'owners'> & Pick<Signing, 'publicKey'>,
): Signable {
  const address = addressOfMultisig(multisig);
  if (!owners.some((owner) => sameBytes(owner, address))) {
    throw refused('given multisig preimage hashes to neither Sender nor AuthAddr');
  }
  if (!isPartOf(multisig, publicKey)) throw refused('given key is not a possible signer for this multisig');
  return { multisig, signer: wallet.signer(publicKey) };
}

function isPartOf({ subsignatures = [] }: Multisig, key: Uint8Array): boolean {
  return subsignatures.some(({ publicKey }) => sameBytes(publicKey, key));
}
