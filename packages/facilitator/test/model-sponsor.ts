import { accountFromSeed } from '@avm402/algorand/account';
import type { SponsorshipOptions } from '../src/index.ts';
import { merchant } from './model-payment.ts';

export const sponsor = accountFromSeed(new Uint8Array(32).fill(102));

export const sponsorship: SponsorshipOptions = { account: sponsor, payTo: [merchant.address] };
