// A copy button that confirms success, and a code block with one.
import { useRef, useState } from 'preact/hooks'
import { useAskTexts } from './ask-texts.ts'
import { Icon } from './icon.tsx'

const icons = {
  copy: 'M7.5 7.5h9v9h-9zM4.5 12.5h-1v-9h9v1',
  check: 'm4 10.5 4 4 8-9',
}
const shownMs = 1_500

/** `onCopy` is called after each copy. */
export function CopyButton({ text, label, onCopy }: { text: string; label: string; onCopy?: () => void }) {
  const texts = useAskTexts()
  const button = useRef<HTMLButtonElement>(null)
  const [copied, setCopied] = useState(false)

  async function copy() {
    if (!(await writeClipboard(text, button.current))) return
    setCopied(true)
    setTimeout(() => setCopied(false), shownMs)
    onCopy?.()
  }

  const name = copied ? texts.answer.copied : label
  return (
    <button
      type="button"
      class="copy"
      part="copy"
      ref={button}
      title={name}
      aria-label={name}
      onClick={() => void copy()}
    >
      <Icon path={copied ? icons.check : icons.copy} />
    </button>
  )
}

/** Pages without TLS have no clipboard API: copies a selection instead. */
export async function writeClipboard(text: string, near: HTMLElement | null): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    if (!near) return false
    const field = document.createElement('textarea')
    field.value = text
    field.className = 'unseen'
    near.after(field)
    field.select()
    const isCopied = document.execCommand('copy')
    field.remove()
    near.focus()
    return isCopied
  }
}

export function CodeBlock({ text }: { text: string }) {
  const texts = useAskTexts()
  return (
    <div class="code" dir="ltr">
      <pre tabIndex={0}>
        <code>{text}</code>
      </pre>
      <CopyButton text={text} label={texts.answer.copy} />
    </div>
  )
}
