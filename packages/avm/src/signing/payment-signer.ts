import type { Account } from '@avm402/algorand/account';
import { requireAccount } from '@avm402/algorand/require-account';
import { isAddress } from '@avm402/algorand/address';
import { decodeSignedTransaction, encodeAuthorized } from '@avm402/algorand/signed-transaction';
import { transactionId, transactionSigningBytes, type Transaction } from '@avm402/algorand/transaction';
import { isX402Error, X402Error } from '@avm402/core/errors';
import type { SignatureCost, TransactionWallet } from './wallet.ts';

/** Signs the payment transaction of a group. */
export interface PaymentSigner {
  /** The payer's address. */
  readonly address: string;
  /** See {@link TransactionWallet.adapt}. */
  readonly adapt?: TransactionWallet['adapt'];
  /** See {@link TransactionWallet.signatureCost}. */
  readonly signatureCost?: SignatureCost | undefined;
  /**
   * The signed member with this index.
   * @throws X402Error `signer_failed`
   */
  sign(group: GroupToSign, index: number): Promise<Uint8Array>;
}

interface GroupToSign {
  readonly transactions: readonly Transaction[];
  /** The same transactions, encoded. */
  readonly encoded: readonly Uint8Array[];
}

/**
 * The signer of an account or a wallet: an account signs with its own key, a wallet is asked. JavaScript callers may
 * pass anything, even a secret.
 * @throws AlgorandError `invalid_key`, which does not show what is neither
 */
export function paymentSigner(payer: Account | TransactionWallet): PaymentSigner {
  return isWallet(payer) ? walletSigner(payer) : accountSigner(requireAccount(payer));
}

function isWallet(payer: unknown): payer is TransactionWallet {
  const { address, signTransactions }: Partial<Record<keyof TransactionWallet, unknown>> = Object(payer);
  return typeof address === 'string' && isAddress(address) && typeof signTransactions === 'function';
}

function accountSigner(account: Account): PaymentSigner {
  return {
    address: account.address,
    sign: ({ transactions, encoded }, index) => {
      const [txn, bytes] = [transactions[index], encoded[index]];
      if (!txn || !bytes) return Promise.reject(new X402Error('signer_failed'));
      const signature = account.sign(transactionSigningBytes(bytes));
      // The sender is rekeyed to the account's key.
      const isRekeyed = account.signerAddress !== txn.sender;
      return Promise.resolve(
        encodeAuthorized(bytes, { signature, ...(isRekeyed && { authAddress: account.signerAddress }) }),
      );
    },
  };
}

function walletSigner(wallet: TransactionWallet): PaymentSigner {
  return {
    address: wallet.address,
    ...(wallet.adapt && { adapt: (transfer) => wallet.adapt?.(transfer) ?? Promise.resolve(transfer) }),
    signatureCost: wallet.signatureCost,
    async sign({ encoded }, index) {
      const answers = await ask(wallet, encoded, index);
      const shown = encoded[index];
      // Wallets return a list as long as the group, or only the members that they signed.
      const signed = answers.find((answer) => answer !== null && shown && signsExactly(answer, shown));
      if (signed) return signed;
      throw new X402Error('signer_failed', { message: 'the wallet returned no signature of the payment it was shown' });
    },
  };
}

async function ask(
  wallet: TransactionWallet,
  encoded: readonly Uint8Array[],
  index: number,
): Promise<(Uint8Array | null)[]> {
  try {
    const answers = await wallet.signTransactions([...encoded], [index]);
    return Array.isArray(answers) ? answers : [];
  } catch (cause) {
    throw isX402Error(cause) ? cause : new X402Error('signer_failed', { cause });
  }
}

/** Whether a wallet signed exactly what it was shown; wallets are outside code. */
function signsExactly(answer: Uint8Array, shown: Uint8Array): boolean {
  try {
    const { txn, signature, multisig, logicSignature, pqSignature } = decodeSignedTransaction(answer);
    const authorization = signature ?? multisig ?? logicSignature ?? pqSignature;
    return authorization !== undefined && transactionId(txn) === transactionId(shown);
  } catch {
    return false;
  }
}
