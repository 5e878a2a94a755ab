import { formatAddress } from '@avm402/algorand/address';
import { encodeBase64 } from '@avm402/algorand/base64';
import { developmentSeed } from '@avm402/algorand/development-key';
import { publicKeyFromSeed } from '@avm402/algorand/ed25519';
import { seedToMnemonic } from '@avm402/algorand/mnemonic';

/** An account of the development genesis. Its keys are public: anyone can derive them from its name. */
export interface DevelopmentAccount {
  readonly name: string;
  readonly address: string;
  /** 25 words. */
  readonly mnemonic: string;
  /** Base64 of 64 bytes: seed and public key. */
  readonly privateKey: string;
}

/** `dispenser` is the online genesis account with the comment `Wallet1`, which SDKs expect in a LocalNet. */
export const DEVELOPMENT_ACCOUNT_NAMES = [
  'dispenser',
  'facilitator',
  'merchant',
  'payer',
  'payer2',
  'payer3',
  'payer4',
  'payer5',
  'payer6',
  'payer7',
  'payer8',
  'usdcIssuer',
] as const;

export type DevelopmentAccountName = (typeof DEVELOPMENT_ACCOUNT_NAMES)[number];
export type DevelopmentAccounts = Readonly<Record<DevelopmentAccountName, DevelopmentAccount>>;

let derived: DevelopmentAccounts | undefined;

/**
 * The named accounts, the same in every run. Their keys are public.
 * @example
 * ```ts
 * import { developmentAccounts } from '@avm402/devnode';
 *
 * const { address, mnemonic } = developmentAccounts().payer;
 * console.log(address, mnemonic);
 * ```
 */
export function developmentAccounts(): DevelopmentAccounts {
  derived ??= Object.fromEntries(
    DEVELOPMENT_ACCOUNT_NAMES.map((name) => [name, developmentAccount(name)]),
  ) as unknown as DevelopmentAccounts;
  return derived;
}

function developmentAccount(name: DevelopmentAccountName): DevelopmentAccount {
  const seed = developmentSeed(name);
  const publicKey = publicKeyFromSeed(seed);
  return {
    name,
    address: formatAddress(publicKey),
    mnemonic: seedToMnemonic(seed),
    privateKey: encodeBase64(Uint8Array.of(...seed, ...publicKey)),
  };
}
