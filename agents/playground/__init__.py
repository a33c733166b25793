"""The playground: threads in which a person or a model plays the agent while the hooks judge for real.

`entries` what happens, row by row · `conversation` the transcript and what a model is sent, made from them · `events` an event
put through the hooks · `playing` the next step, whatever it is · `model_turn` a model's next turn · `tools` what it may call ·
`work` queued, claimed, cancelled, lost · `threads` what people do with a thread · `examples` prepared threads · `export`.
"""
