import type { Account } from '@avm402/algorand/account';
import { ChannelPayer } from '@avm402/avm/batch-settlement/client';
import type { TransactionWallet } from '@avm402/avm/exact/client';
import type { SpendPolicy } from '../budget/spend-policy.ts';
import type { PayOfferOptions } from '../offers/pay-offer.ts';
import { ChannelBook } from './channel-book.ts';
import { ChannelRequests, type ChannelRequestsOptions } from './channel-request.ts';
import { memoryChannelStore, type ChannelStore } from './channel-store.ts';
import { DepositPolicy, type DepositOptions } from './deposit-policy.ts';
import { payerChannels, type PayerChannels } from './payer-channels.ts';

export interface OpenChannelsOptions extends Omit<ChannelRequestsOptions, 'book'>, PayOfferOptions {
  readonly account: Account | TransactionWallet;
  readonly deposits: DepositOptions;
  readonly policy: SpendPolicy;
  /** Default: in memory. */
  readonly store: ChannelStore | undefined;
}

/** The channels of one payer. */
export interface Channels {
  readonly book: ChannelBook;
  readonly requests: ChannelRequests;
  readonly owned: PayerChannels;
}

/** Puts together everything that pays through channels. */
export function openChannels(options: OpenChannelsOptions): Channels {
  const { account, algodOf, random, now, store = memoryChannelStore() } = options;
  const payer = new ChannelPayer({ account, algod: algodOf, random, now });
  const deposits = new DepositPolicy(options.policy, options.deposits);
  const book = new ChannelBook({ ...options, deposits, payer, store });
  return {
    book,
    requests: new ChannelRequests({ ...options, book }),
    owned: payerChannels({ ...options, book, payer }),
  };
}
