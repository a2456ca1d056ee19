// A dialog over the screen. The browser traps and restores the focus.
import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { sayError } from './toasts.tsx'

export function Dialog({
  title,
  onClose,
  children,
}: {
  title: string
  onClose(): void
  children: ComponentChildren
}) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    dialog.current!.showModal()
    // A dialog without fields keeps the focus on its first button, which closes it.
    dialog.current!.querySelector<HTMLElement>('input, select, textarea')?.focus()
  }, [])
  return (
    <dialog ref={dialog} aria-label={title} onClose={onClose}>
      <div class="head">
        <h2>{title}</h2>
        <button class="plain" type="button" aria-label="Close" onClick={() => dialog.current?.close()}>
          ✕
        </button>
      </div>
      {children}
    </dialog>
  )
}

interface ConfirmProps {
  /** Label of the button that opens it and of the one that confirms. */
  label: string
  title: string
  /** What will be lost. */
  children: ComponentChildren
  /** Runs the action. A failure is shown as a message. */
  onConfirm(): Promise<void>
}

/** A button for an action that cannot be undone. It asks for confirmation. */
export function ConfirmButton({ label, title, children, onConfirm }: ConfirmProps) {
  const [isOpen, setOpen] = useState(false)
  const [isBusy, setBusy] = useState(false)

  async function confirm() {
    setBusy(true)
    await onConfirm().catch(sayError)
    setBusy(false)
    setOpen(false)
  }

  return (
    <>
      <button class="danger" type="button" onClick={() => setOpen(true)}>
        {label}
      </button>
      {isOpen && (
        <Dialog title={title} onClose={() => setOpen(false)}>
          {children}
          <div class="row">
            <button class="danger" type="button" disabled={isBusy} onClick={() => void confirm()}>
              {label}
            </button>
          </div>
        </Dialog>
      )}
    </>
  )
}
