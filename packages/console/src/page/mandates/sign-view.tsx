import { decodeBase64, encodeBase64 } from '@avm402/algorand/base64';
import { decodeTransaction } from '@avm402/algorand/transaction';
import { parseWalletGroup, signedGroup, type WalletMember } from '@avm402/client/mandate';
import { isX402Error } from '@avm402/core/errors';
import { jsonIn } from '@avm402/core/unknown-json';
import LuteConnect from 'lute-connect';
import { useState } from 'preact/hooks';
import { type GroupMember, wireTransaction } from '../../payments/group-member.ts';
import type { Problem } from '../../server/answer-error.ts';
import type { SentGroup } from '../../server/group-routes.ts';
import { problemOf, Refused, send } from '../ask.ts';
import { GroupFlow } from '../chain/group-flow.tsx';
import { ProblemNotice } from '../parts/notice.tsx';
import { linkTo } from '../route.ts';

/** A group of a mandate's owner, which `avm402 mandate` wrote with `--unsigned`: a wallet signs it here. */
export function SignView() {
  const [group, setGroup] = useState<readonly WalletMember[]>();
  const [problem, setProblem] = useState<Problem>();
  const [sent, setSent] = useState<SentGroup & { readonly group: readonly WalletMember[] }>();
  // While a wallet signs, another file may be chosen.
  const isSent = sent !== undefined && sent.group === group;
  const trying = async (attempt: () => Promise<void>): Promise<void> => {
    setProblem(undefined);
    await attempt().catch((error: unknown) => setProblem(isX402Error(error) ? error : problemOf(error)));
  };
  const read = async (file: File | undefined): Promise<void> => {
    setGroup(undefined);
    if (file) setGroup(parseWalletGroup(jsonIn(await file.text())));
  };
  return (
    <>
      <h1>Sign a group</h1>
      <p>
        <code>avm402 mandate create</code>, <code>add</code> and <code>end</code> write a group with{' '}
        <code>--unsigned FILE</code>. Look at what it does; a wallet of the owner signs it, and the node gets it.
      </p>
      <label>
        The file
        <input
          type="file"
          accept="application/json,.json"
          onChange={(event) => void trying(() => read(event.currentTarget.files?.[0]))}
        />
      </label>
      {group && <GroupFlow members={group.map(memberOf)} />}
      {group && !isSent && (
        <p>
          <button onClick={() => void trying(async () => setSent({ ...(await signAndSend(group)), group }))}>
            Sign with Lute
          </button>
        </p>
      )}
      {isSent && (
        <p role="status">
          The node has it: <a href={linkTo('transactions', sent.transaction)}>the transaction</a>.
        </p>
      )}
      {problem && <ProblemNotice problem={problem} />}
    </>
  );
}

/** A member as it is now: a program has signed it already, or nobody has. */
function memberOf({ txn, stxn }: WalletMember): GroupMember {
  const unsigned = wireTransaction(bytesOf(txn));
  return { signed: stxn === undefined ? unsigned : { ...unsigned, lsig: {} } };
}

function bytesOf(base64: string): Uint8Array {
  return decodeBase64(base64) ?? new Uint8Array();
}

async function signAndSend(group: readonly WalletMember[]): Promise<SentGroup> {
  const [first] = group;
  const wallet = new LuteConnect('avm402 console');
  await asking(() => wallet.connect((first && decodeTransaction(bytesOf(first.txn)).genesisId) ?? ''));
  const signed = await asking(() => wallet.signTxns(group));
  const members = signedGroup(
    group,
    signed.map((bytes) => bytes && encodeBase64(bytes)),
  );
  return send<SentGroup>('/api/groups', { members });
}

/** Turns a wallet's error into a problem that the page shows. */
async function asking<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    const { message = 'the wallet did not sign' }: { readonly message?: string } = Object(error);
    throw new Refused({ code: 'wallet_refused', message });
  }
}
