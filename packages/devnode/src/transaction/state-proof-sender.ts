import { parseAddress } from '@avm402/algorand/address';

/** The account in whose name state proofs are sent. Nobody has a key for it. */
export const STATE_PROOF_SENDER = parseAddress('XM6FEYVJ2XDU2IBH4OT6VZGW75YM63CM4TC6AV6BD3JZXFJUIICYTVB5EU');
