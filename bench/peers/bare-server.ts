import { once } from 'node:events';
import { createServer } from 'node:http';
import express from 'express';
import { announce } from '../harness/announce.ts';
import { addHandlers } from './route.ts';

/** The same Express application without any payment. */
const app = express();
addHandlers(app);

const server = createServer(app);
server.listen(0, '127.0.0.1');
await once(server, 'listening');
announce('bare-server', server);
