import { type Account, accountFromSeed } from '@avm402/algorand/account';
import { developmentSeed } from '@avm402/algorand/development-key';
import { decodeTransaction } from '@avm402/algorand/transaction';
import { button, element } from './element.ts';
import type { WalletAccount } from './wallet.ts';

const NAMES = ['payer', 'payer2', 'payer3', 'payer4', 'payer5', 'payer6', 'payer7', 'payer8'];

/** The embedded node's accounts. Their keys are public. They ask before they sign, as a wallet does. */
export function developmentAccounts(): readonly WalletAccount[] {
  return NAMES.map((name) => walletAccount(name, accountFromSeed(developmentSeed(name))));
}

function walletAccount(name: string, account: Account): WalletAccount {
  return {
    name,
    address: account.address,
    disconnect: () => Promise.resolve(),
    signTransactions: async (transactions, indexes = []) => {
      if (!(await isAllowed(name))) throw new Error(`${name} did not sign`);
      return transactions.map((bytes, index) =>
        indexes.includes(index) ? account.signTransaction(decodeTransaction(bytes)) : null,
      );
    },
  };
}

function isAllowed(name: string): Promise<boolean> {
  return new Promise((resolve) => {
    const dialog = element('dialog', { 'aria-label': 'Development wallet' });
    const answer = (isYes: boolean) => (): void => {
      resolve(isYes);
      dialog.remove();
    };
    dialog.append(
      element('p', {}, `Development wallet: sign this payment as ${name}?`),
      button('Sign', answer(true)),
      button('Refuse', answer(false)),
    );
    dialog.addEventListener('cancel', answer(false));
    document.body.append(dialog);
    dialog.showModal();
  });
}
