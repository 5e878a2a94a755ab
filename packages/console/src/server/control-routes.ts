import { createDevControls, type DevControls } from '@avm402/devnode';
import express, { Router } from 'express';
import { z } from 'zod';
import type { Roles } from '../roles.ts';

const whole = (least: number, most: number): z.ZodNumber => z.int().min(least).max(most);

const units = z
  .string()
  .regex(/^\d{1,20}$/)
  .transform(BigInt);
const address = z.string().max(100);
const funding = z.strictObject({ address, microAlgos: units });
const dealing = z.strictObject({ address, assetId: units, amount: units });
const freezing = z.strictObject({ address, assetId: units, frozen: z.boolean() });

const fault = z.strictObject({
  route: z.string().max(200),
  delayMs: whole(0, 600_000).optional(),
  status: whole(400, 599).optional(),
  lose: z.enum(['request', 'answer']).optional(),
  times: whole(1, 1_000_000).optional(),
});

/** What the page may ask of the node: one name and one body each. */
const CONTROLS: Readonly<Record<string, (controls: DevControls, body: unknown) => Promise<unknown>>> = {
  mine: (controls, body) => controls.mine(z.strictObject({ rounds: whole(1, 1000) }).parse(body).rounds),
  pause: (controls) => controls.pause(),
  resume: (controls) => controls.resume(),
  time: (controls, body) => controls.increaseTime(z.strictObject({ seconds: whole(1, 1e9) }).parse(body).seconds),
  snapshot: (controls) => controls.snapshot(),
  revert: (controls, body) => controls.revert(z.strictObject({ id: whole(0, 2 ** 32) }).parse(body).id),
  reset: (controls) => controls.reset(),
  fund: (controls, body) => {
    const given = funding.parse(body);
    return controls.fund(given.address, given.microAlgos);
  },
  deal: (controls, body) => {
    const given = dealing.parse(body);
    return controls.deal(given.address, given.assetId, given.amount);
  },
  freeze: (controls, body) => {
    const { address: holder, assetId, frozen } = freezing.parse(body);
    return controls.setFrozen(holder, assetId, frozen);
  },
  fault: (controls, body) => controls.addFault(fault.parse(body) as Parameters<DevControls['addFault']>[0]),
  'remove-fault': (controls, body) => controls.removeFault(z.strictObject({ id: whole(0, 2 ** 32) }).parse(body).id),
};

/** `GET /controls`: what the controls have set; `POST /controls/{name}`: one of them. Refused by other nodes than ours. */
export function controlRoutes(algod: Roles['algod']): Router {
  const controls = createDevControls(algod);
  const router = Router();
  router.get('/controls', async (_request, response) => {
    response.type('json').send(text(await controls.state()));
  });
  router.post('/controls/:name', express.json(), async (request, response, next) => {
    const { name } = request.params;
    const control = Object.hasOwn(CONTROLS, name) ? CONTROLS[name] : undefined;
    if (control === undefined) return next();
    const body: unknown = request.body ?? {};
    response.type('json').send(text({ result: await control(controls, body) }));
  });
  return router;
}

/** Rounds, ids and counts are far below what a JSON number holds exactly; a balance that isn't is text. */
function text(value: unknown): string {
  return JSON.stringify(value, (_key, each: unknown) => {
    if (typeof each !== 'bigint') return each;
    return each > Number.MAX_SAFE_INTEGER ? String(each) : Number(each);
  });
}
