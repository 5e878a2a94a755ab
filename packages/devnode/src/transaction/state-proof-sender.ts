import { parseAddress } from '@avm402/algorand/address';

/** The sender of state proofs. Nobody has a key for this account. */
export const STATE_PROOF_SENDER = parseAddress('XM6FEYVJ2XDU2IBH4OT6VZGW75YM63CM4TC6AV6BD3JZXFJUIICYTVB5EU');
