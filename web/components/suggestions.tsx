// Questions to choose from, before a search and before a conversation.
import { useTexts } from './texts.ts'

export function Suggestions({ questions, onAsk }: { questions: string[]; onAsk(question: string): void }) {
  const texts = useTexts()
  if (questions.length === 0) return null
  return (
    <ul class="suggestions" part="suggestions" aria-label={texts.search.suggestions}>
      {questions.map((question) => (
        <li>
          <button type="button" class="suggestion" dir="auto" onClick={() => onAsk(question)}>
            {question}
          </button>
        </li>
      ))}
    </ul>
  )
}
