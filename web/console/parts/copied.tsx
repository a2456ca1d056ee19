// Text to copy: a block with a button, and a secret that is shown once.
import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { writeClipboard } from '../../components/copy.tsx'

/** `label` says what is copied: “Copy the snippet”. */
export function CopyText({ text, label }: { text: string; label: string }) {
  const button = useRef<HTMLButtonElement>(null)
  const [state, setState] = useState<'copied' | 'failed' | null>(null)
  async function copy() {
    setState((await writeClipboard(text, button.current)) ? 'copied' : 'failed')
    setTimeout(() => setState(null), 2_000)
  }
  return (
    <button type="button" ref={button} onClick={() => void copy()}>
      {state === null ? label : state === 'copied' ? 'Copied' : 'Select the text to copy it'}
    </button>
  )
}

/** Code with a button that copies it. */
export function Snippet({ label, text }: { label: string; text: string }) {
  return (
    <figure class="snippet">
      <figcaption class="row">
        <span class="label">{label}</span>
        <CopyText text={text} label="Copy" />
      </figcaption>
      <pre tabIndex={0}>{text}</pre>
    </figure>
  )
}

/** A secret that the API returns only once. `children` describe it. */
export function Secret({
  label,
  text,
  children,
}: {
  label: string
  text: string
  children: ComponentChildren
}) {
  return (
    <div class="notice good" role="status">
      <div class="grow">
        <p>{children}</p>
        <Snippet label={label} text={text} />
        <p class="quiet">It is shown only now. Lectern keeps no copy that it could show again.</p>
      </div>
    </div>
  )
}
