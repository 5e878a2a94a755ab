import type { MarkdownRenderer } from 'vitepress';

/** Makes a `Diagram` of the theme of each block in the language `mermaid`. */
export function diagrams(markdown: MarkdownRenderer): void {
  const { fence } = markdown.renderer.rules;
  markdown.renderer.rules.fence = (tokens, index, ...rest) => {
    const token = tokens[index];
    if (token?.info.trim() === 'mermaid') return `<Diagram text="${markdown.utils.escapeHtml(token.content)}" />`;
    return fence?.(tokens, index, ...rest) ?? '';
  };
}
