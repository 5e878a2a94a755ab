import { decodeBase64 } from '@avm402/algorand/base64';
import { MAX_GROUP_SIZE } from '@avm402/algorand/group';
import express, { Router } from 'express';
import * as z from 'zod';
import { type GroupMember, wireTransaction } from '../payments/group-member.ts';
import { chainGroup } from './chain-group.ts';
import type { NodeAccess } from './node-access.ts';

/** Most bytes of a signed member, in base64: a transaction with a program and its arguments. */
const MOST_CHARACTERS = 10_000;

const body = z.strictObject({
  members: z.array(z.base64().min(1).max(MOST_CHARACTERS)).min(1).max(MAX_GROUP_SIZE),
});

/** The node's answer to a group that was sent. */
export interface SentGroup {
  /** TxID of its first member. */
  readonly transaction: string;
}

/**
 * `POST /groups`: sends a signed group, such as one that a wallet signed in the page; `GET /groups/{txid}`: the members
 * of a transaction's group, or the transaction alone while it waits.
 */
export function groupRoutes(node: NodeAccess): Router {
  const router = Router();
  router.get('/groups/:transactionId', async ({ params }, response) => {
    const { ids, transactions } = await chainGroup(node, params.transactionId);
    const members = transactions.map((bytes, index) => ({ id: ids[index] ?? '', signed: wireTransaction(bytes) }));
    response.json(members satisfies GroupMember[]);
  });
  router.post('/groups', express.json({ limit: 2 * MAX_GROUP_SIZE * MOST_CHARACTERS }), async (request, response) => {
    const { members } = body.parse(request.body);
    const { txId } = await node.algod.sendRawTransaction(
      Buffer.concat(members.map((member) => decodeBase64(member) ?? new Uint8Array())),
    );
    response.json({ transaction: txId } satisfies SentGroup);
  });
  return router;
}
