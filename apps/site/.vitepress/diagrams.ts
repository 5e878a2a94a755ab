import type { MarkdownRenderer } from 'vitepress';

/** Turns each block in the language `mermaid` into a `Diagram` of the theme. */
export function diagrams(markdown: MarkdownRenderer): void {
  const { fence } = markdown.renderer.rules;
  markdown.renderer.rules.fence = (tokens, index, ...rest) => {
    const token = tokens[index];
    if (token?.info.trim() === 'mermaid') return `<Diagram text="${markdown.utils.escapeHtml(token.content)}" />`;
    return fence?.(tokens, index, ...rest) ?? '';
  };
}
