import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Application, type ProjectReflection, ReflectionKind } from 'typedoc';

const packages = fileURLToPath(new URL('../../packages/', import.meta.url));

interface Manifest {
  readonly name: string;
  readonly private?: boolean;
  readonly exports: Readonly<Record<string, string | { readonly '@avm402/source'?: string }>>;
}

/** The source file of each public module, by the module's import name. A second name of a module has no page. */
export function publicModules(): ReadonlyMap<string, string> {
  const modules = new Map<string, string>();
  for (const folder of readdirSync(packages)) {
    const manifest: Manifest = JSON.parse(readFileSync(`${packages}${folder}/package.json`, 'utf8'));
    if (manifest.private === true) continue;
    for (const [subpath, target] of Object.entries(manifest.exports)) {
      const source = typeof target === 'string' ? undefined : target['@avm402/source'];
      if (source === undefined) continue;
      const file = `${packages}${folder}/${source.slice(2)}`;
      if (![...modules.values()].includes(file)) modules.set(`${manifest.name}${subpath.slice(1)}`, file);
    }
  }
  return modules;
}

/** Writes a page for each public module from its doc comments, and an index of these pages. */
export async function writeApiReference(out: string): Promise<void> {
  const modules = publicModules();
  const application = await Application.bootstrapWithPlugins({
    entryPoints: [...modules.values()],
    plugin: ['typedoc-plugin-markdown'],
    tsconfig: fileURLToPath(new URL('tsconfig.typedoc.json', import.meta.url)),
    outputs: [{ name: 'markdown', path: out }],
    readme: 'none',
    name: 'API',
    router: 'module',
    skipErrorChecking: true,
    disableSources: true,
    logLevel: 'Error',
  });
  const project = await application.convert();
  if (project === undefined) throw new Error('the API reference could not be made');
  nameModules(project, modules);
  await application.generateOutputs(project);
}

/** Names each module as readers import it; Typedoc names it after its file. */
function nameModules(project: ProjectReflection, modules: ReadonlyMap<string, string>): void {
  for (const module of project.getChildrenByKind(ReflectionKind.Module)) {
    const [specifier] =
      [...modules].find(
        ([, file]) => file === `${packages}${module.name}.ts` || file === `${packages}${module.name}/index.ts`,
      ) ?? [];
    if (specifier === undefined) throw new Error(`no package exports ${module.name}`);
    module.name = specifier;
  }
}
