import { askControl, type ControlName } from '@avm402/devnode';
import express, { Router } from 'express';
import * as z from 'zod';
import type { NodeAccess } from './node-access.ts';

/** The controls of the node that the page may use. */
const CONTROLS = z.enum([
  'mine',
  'pause',
  'resume',
  'increaseTime',
  'snapshot',
  'revert',
  'reset',
  'fund',
  'deal',
  'setFrozen',
  'addFault',
  'removeFault',
] satisfies ControlName[]);

/** Values for the parameters of a control's route; the node checks them. */
const values = z.record(z.string().max(20), z.union([z.string().max(200), z.int(), z.boolean()]));

/** `GET /controls`: the controls' settings; `POST /controls/{name}`: uses one. Only our own node takes them. */
export function controlRoutes({ controls, options }: NodeAccess): Router {
  const router = Router();
  router.get('/controls', async (_request, response) => {
    response.type('json').send(text(await controls.state()));
  });
  router.post('/controls/:name', express.json(), async (request, response, next) => {
    const { data: name } = CONTROLS.safeParse(request.params.name);
    if (name === undefined) return next();
    const result = await askControl(options, name, values.parse(request.body ?? {}));
    response.type('json').send(text({ result }));
  });
  return router;
}

/** Rounds, ids and counts are far below the limit of exact JSON numbers; a balance above it becomes text. */
function text(value: unknown): string {
  return JSON.stringify(value, (_key, each: unknown) => {
    if (typeof each !== 'bigint') return each;
    return each > Number.MAX_SAFE_INTEGER ? String(each) : Number(each);
  });
}
