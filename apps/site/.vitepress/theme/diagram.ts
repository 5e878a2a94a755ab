import { useData } from 'vitepress';
import { defineComponent, h, onMounted, ref, useId, watch } from 'vue';

/** Labels are SVG text, each in its own lines: HTML labels would be cut off by the page's styles for paragraphs. */
const PLAIN = {
  startOnLoad: false,
  securityLevel: 'strict',
  htmlLabels: false,
  fontFamily: 'sans-serif',
  flowchart: { wrappingWidth: 400 },
} as const;

/** A picture that the browser draws from its text, in the page's colors. Until it is drawn, the text is shown. */
export const Diagram = defineComponent({
  props: { text: { type: String, required: true } },
  setup(props) {
    const { isDark } = useData();
    const id = useId();
    const drawn = ref('');
    const draw = async (): Promise<void> => {
      const { default: mermaid } = await import('mermaid');
      mermaid.initialize({ ...PLAIN, theme: isDark.value ? 'dark' : 'default' });
      drawn.value = (await mermaid.render(id, props.text)).svg;
    };
    onMounted(() => watch(isDark, draw, { immediate: true }));
    return () =>
      drawn.value === ''
        ? h('pre', { class: 'diagram' }, props.text)
        : h('div', { class: 'diagram', innerHTML: drawn.value });
  },
});
