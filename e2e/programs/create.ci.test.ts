import { describe } from 'vitest';
import { aProjectWorks, projectFolder } from './created-project.ts';

const folder = projectFolder();

describe.each([
  { language: 'TypeScript', options: [], extension: 'ts' },
  { language: 'JavaScript', options: ['--javascript'], extension: 'js' },
  { language: 'TypeScript, with a contract', options: ['--contract'], extension: 'ts' },
  {
    language: 'JavaScript, with Hono and a contract',
    options: ['--contract', '--javascript', '--framework', 'hono'],
    extension: 'js',
  },
  { language: 'TypeScript, with Hono', options: ['--framework', 'hono'], extension: 'ts' },
] as const)('a project in $language', (kind) => aProjectWorks(folder, kind));
