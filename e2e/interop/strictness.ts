/** The part of docs/interop.md that no run makes: what avm402 refuses although the specification does not ask it to. */
export const STRICTNESS = `
## What is refused beyond the specification

Peers that keep to the specification are refused only for the following. Each refusal has its code in [errors.md](errors.md).

A payment, by seller and facilitator:

| refused | why |
| --- | --- |
| a lease, unless a program signs | only one of several payments under one lease can settle, even if all were verified |
| a note above 1,024 bytes | a longer one costs more than the calculated fee |
| a transaction that is not encoded as its fields are, or with fields that are not known | what is checked must be what is signed |
| a window above 1,000 rounds; at verification fewer than three rounds left | the chain takes no longer window; a handler must not outlive its payment |
| more members than a fee payer's transaction and the payment | the sponsor would pay the fee of the others, too |
| a fee payer's transaction with a note other than stock's, a lease, or a window other than the payment's | a signed payment of zero with bytes of a stranger's choice could serve as a login proof |
| a fee payer that the offer does not name; a payer or receiver that is the facilitator's own account | a sponsor pays fees and nothing else |
| a multisig with more than 16 signatures | verifying them would cost too much before anything is paid |
| an \`accepted\` of another scheme, network, asset, amount, \`payTo\` or \`feePayer\`; the rest of \`extra\` may differ | the payment is for that offer |
| a transaction that was on the chain before the facilitator sent it | its bytes are public, so anyone can present them |
| a second request with one payment, unless it is the same request with the same payment id | one payment buys one answer |

The other way round, the stock facilitator (\`@x402/avm\` 2.26) settles payments of programs and mandates, but treats a payment with a Falcon signature as unsigned.

Every role refuses a header above 16,384 characters, and JSON that is deeper than 64 levels or has more than 10,000 values, a text above 65,536
characters or a key \`__proto__\`: strangers' input is bounded before it is read.

An offer, by the paying client; nothing is signed for it:

| not paid | why |
| --- | --- |
| plain HTTP to another machine, unless \`allowHttp\` is set | anyone in between could use the payment |
| an offer behind a redirect to another origin, unless \`spend.origins\` names it | only the seller that was asked is paid |
| an asset other than USDC, unless \`spend.assets\` names it; the seller's decimals are not believed | a limit in dollars does not bound other assets |
| a \`maxTimeoutSeconds\` above an hour, unless \`spend.maxTimeoutSeconds\` allows it | the signed payment could be used for that long |
| an unknown \`paymentFlow\`; an amount of zero; \`payTo\` or \`feePayer\` that is the payer; \`feePayer\` that is \`payTo\` | no honest seller asks for that |
| an algod whose genesis is not the offer's network | the payment would be made on another chain |

A seller serves only after a facilitator's clear yes. A clear no refuses the payment. Any other answer, and a no that an earlier try may contradict,
counts as unknown, which is not unpaid: the seller answers 503, and gives nothing away. Members of a message that nobody knows are ignored.
`;
